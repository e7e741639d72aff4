// What Web IDL says of every interface: members are enumerable, constructors and conversions
// refuse with the browser's words, objects carry their name.
(function (page) {
    "use strict";

    const { object, reflect, define, array, math } = page.primordials;
    const { iterator, toStringTag } = Symbol;
    const { TypeError, Number } = page.global;

    const isObject = (value) =>
        (typeof value === "object" && value !== null) || typeof value === "function";

    // The words before the colon of a refusal: constructing("Event"), executing("f", "Event").
    const constructing = (name) => `Failed to construct '${name}'`;
    const executing = (method, name) => `Failed to execute '${method}' on '${name}'`;

    function refuse(where, what) {
        throw new TypeError(`${where}: ${what}`);
    }

    function illegalInvocation() {
        throw new TypeError("Illegal invocation");
    }

    // Only the library constructs such objects: it passes `page.inside`, which nobody else has.
    const inside = object.freeze(object.create(null));
    function onlyInside(token, name) {
        if (token !== inside) throw new TypeError(`${constructing(name)}: Illegal constructor`);
    }

    function needArguments(where, needed, present) {
        if (present >= needed) return;
        const noun = needed === 1 ? "argument" : "arguments";
        refuse(where, `${needed} ${noun} required, but only ${present} present.`);
    }

    // A dictionary argument: undefined and null are an empty one.
    function dictionary(value, type, where) {
        if (value === undefined || value === null) return object.create(null);
        if (!isObject(value)) refuse(where, `The provided value is not of type '${type}'.`);
        return value;
    }

    // DOMString.
    function text(value, where) {
        if (typeof value === "symbol") refuse(where, "Cannot convert a Symbol value to a string");
        return `${value}`;
    }

    // sequence<T>: what the user's iterable gives.
    function sequence(value, where) {
        if (!isObject(value)) refuse(where, "The provided value cannot be converted to a sequence.");
        if (typeof value[iterator] !== "function")
            refuse(where, "The object must have a callable @@iterator property.");
        return listOf(value);
    }

    // [EnforceRange] of an unsigned integer type of so many bits.
    function enforceRange(value, bits, where) {
        const type = bits === 64 ? "unsigned long long" : bits === 32 ? "unsigned long"
            : "unsigned short";
        const number = Number(value);
        if (number !== number) refuse(where, `Value is not of type '${type}'.`);
        if (number === Infinity || number === -Infinity)
            refuse(where, `Value is infinite and not of type '${type}'.`);
        const whole = math.trunc(number);
        const most = bits === 64 ? 2 ** 53 - 1 : 2 ** bits - 1;
        if (whole < 0 || whole > most) refuse(where, `Value is outside the '${type}' value range.`);
        return whole;
    }

    function makeEnumerable(holder, exceptions) {
        const keys = reflect.ownKeys(holder);
        for (let i = 0; i < keys.length; i++) {
            const key = keys[i];
            if (typeof key !== "string" || array.includes(exceptions, key)) continue;
            define(holder, key, { enumerable: true });
        }
    }

    function tag(prototype, name) {
        define(prototype, toStringTag, { value: name, configurable: true });
    }

    // Numbers that stand on the interface and on its prototype.
    function constants(Interface, values) {
        const names = object.keys(values);
        for (let i = 0; i < names.length; i++) {
            const constant = { value: values[names[i]], enumerable: true };
            define(Interface, names[i], constant);
            define(Interface.prototype, names[i], constant);
        }
    }

    // Makes a class what a browser has under that name.
    function exposeInterface(Interface, name = Interface.name) {
        makeEnumerable(Interface.prototype, ["constructor"]);
        makeEnumerable(Interface, ["length", "name", "prototype"]);
        tag(Interface.prototype, name);
        exposeValue(name, Interface);
    }

    function exposeValue(name, value) {
        define(page.global, name, { value, writable: true, configurable: true });
    }

    // Functions of the global object are enumerable there, interfaces are not.
    function exposeFunction(name, value) {
        define(page.global, name, { value, writable: true, configurable: true, enumerable: true });
    }

    // The values of an iterable that the user gave, as an array; his iterator may well throw.
    function listOf(iterable) {
        const list = [];
        for (const value of iterable) define(list, list.length, {
            value, writable: true, enumerable: true, configurable: true,
        });
        return list;
    }

    page.idl = {
        isObject, constructing, executing, refuse, illegalInvocation, inside, onlyInside,
        needArguments, dictionary, text, sequence, enforceRange, tag, constants, exposeInterface,
        exposeValue, exposeFunction, listOf,
    };
})
