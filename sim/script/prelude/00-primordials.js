// The standard library of the simulated page, file by file. Each file is one function expression.
// Whoever makes a realm evaluates the files in the order of their names, before any code of a
// user, and calls each with the same object:
//
//   page.global     the global object that the page's names are put on
//   page.host       the seam to the world, which is never shown to the user's code:
//       now()              milliseconds of the page's performance clock
//       task(run)          runs `run` as a task of its own, after those queued before
//       timer(ms, run)     runs `run` as a task not before `ms` have passed
//       uncaught(error)    an exception that nobody caught and no handler of "error" canceled
//       random()           the next 32 bits of the page's random stream, an unsigned integer
//       console(level, text)
//       storage(area)      the strings of an area, "local" or "session": {keys(), get(key),
//                          set(key, value), remove(key), clear()}; set() returns false when full
//       databases          a Map of the storage partition's databases, shared by its realms
//
// What a file offers to later files it puts on `page`; what it offers to the user on
// page.global. Neither `page` nor anything else of the inside can be reached from there.
//
// This file: the language's own functions as they are before a user's bundle can patch them.
// Library code calls array.push(list, x), never list.push(x); it does not iterate arrays with
// for-of, spread or patterns, which would ask the patched iterator.
(function (page) {
    "use strict";

    const { bind, call } = Function.prototype;
    const uncurry = bind.bind(call);
    const { create, defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object;
    const { ownKeys } = Reflect;

    // Every method of a prototype as a function of (this, ...); getters as get_NAME.
    function methodsOf(prototype) {
        const methods = create(null);
        const keys = ownKeys(prototype);
        for (let i = 0; i < keys.length; i++) {
            const key = keys[i];
            if (typeof key !== "string" || key === "constructor") continue;
            const own = getOwnPropertyDescriptor(prototype, key);
            if (typeof own.value === "function") methods[key] = uncurry(own.value);
            else if (own.get) methods["get_" + key] = uncurry(own.get);
        }
        return methods;
    }

    function copyOf(namespace) {
        const copy = create(null);
        const keys = ownKeys(namespace);
        for (let i = 0; i < keys.length; i++)
            if (typeof keys[i] === "string") copy[keys[i]] = namespace[keys[i]];
        return copy;
    }

    const TypedArray = getPrototypeOf(Uint8Array);
    page.primordials = {
        object: copyOf(Object),
        reflect: copyOf(Reflect),
        math: copyOf(Math),
        number: copyOf(Number),
        json: copyOf(JSON),
        array: methodsOf(Array.prototype),
        string: methodsOf(String.prototype),
        regexp: methodsOf(RegExp.prototype),
        map: methodsOf(Map.prototype),
        set: methodsOf(Set.prototype),
        weakMap: methodsOf(WeakMap.prototype),
        date: methodsOf(Date.prototype),
        promise: methodsOf(Promise.prototype),
        buffer: methodsOf(ArrayBuffer.prototype),
        typed: methodsOf(TypedArray.prototype),
        view: methodsOf(DataView.prototype),
        proto: methodsOf(Object.prototype),
        mapNext: uncurry(getPrototypeOf(new Map().entries()).next),
        setNext: uncurry(getPrototypeOf(new Set().values()).next),
        typedTag: uncurry(getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get),
        valueOf: {
            boolean: uncurry(Boolean.prototype.valueOf),
            number: uncurry(Number.prototype.valueOf),
            string: uncurry(String.prototype.valueOf),
            bigint: uncurry(BigInt.prototype.valueOf),
        },
        uncurry,
        isArray: Array.isArray,
        isView: ArrayBuffer.isView,
        fromCharCode: String.fromCharCode,
        // A patched Object.prototype must not reach property descriptors either.
        define(object, key, descriptor) {
            const bare = create(null);
            const keys = ownKeys(descriptor);
            for (let i = 0; i < keys.length; i++) bare[keys[i]] = descriptor[keys[i]];
            defineProperty(object, key, bare);
        },
    };
})
