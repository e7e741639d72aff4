// Event (DOM 2.2) and the event classes that pages of this world meet.
(function (page) {
    "use strict";

    const { object, define, reflect } = page.primordials;
    const { isObject, constructing, executing, refuse, illegalInvocation, needArguments } =
        page.idl;
    const { dictionary, text, constants, exposeInterface, listOf } = page.idl;
    const { Promise, Number } = page.global;
    const { host } = page;

    let stateOf; // of an event: what dispatch reads and writes
    const phase = { NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 };

    function newState(type, bubbles, cancelable) {
        return {
            type, bubbles, cancelable, composed: false, target: null, currentTarget: null,
            phase: phase.NONE, path: [], stopped: false, stoppedNow: false, canceled: false,
            passive: false, dispatching: false, initialized: true, trusted: false,
            timeStamp: host.now(),
        };
    }

    // [LegacyUnforgeable]: an own property of every event.
    const isTrusted = object.getOwnPropertyDescriptor({
        get isTrusted() { return stateOf(this).trusted; },
    }, "isTrusted").get;
    const isTrustedProperty = object.assign(object.create(null), {
        get: isTrusted, set: undefined, enumerable: true, configurable: false,
    });

    class Event {
        #state;

        constructor(type, eventInitDict = undefined) {
            const where = constructing("Event");
            needArguments(where, 1, arguments.length);
            type = text(type, where);
            const init = dictionary(eventInitDict, "EventInit", where);
            this.#state = newState(type, !!init.bubbles, !!init.cancelable);
            this.#state.composed = !!init.composed;
            object.defineProperty(this, "isTrusted", isTrustedProperty);
        }

        static {
            stateOf = (event) => {
                if (!isObject(event) || !(#state in event)) illegalInvocation();
                return event.#state;
            };
            page.isEvent = (value) => isObject(value) && #state in value;
        }

        get type() { return stateOf(this).type; }
        get target() { return stateOf(this).target; }
        get currentTarget() { return stateOf(this).currentTarget; }
        get eventPhase() { return stateOf(this).phase; }
        get bubbles() { return stateOf(this).bubbles; }
        get cancelable() { return stateOf(this).cancelable; }
        get defaultPrevented() { return stateOf(this).canceled; }
        get composed() { return stateOf(this).composed; }
        get timeStamp() { return stateOf(this).timeStamp; }
        get srcElement() { return stateOf(this).target; }
        get returnValue() { return !stateOf(this).canceled; }
        set returnValue(value) { if (!value) cancel(stateOf(this)); }
        get cancelBubble() { return stateOf(this).stopped; }
        set cancelBubble(value) { if (value) stateOf(this).stopped = true; }

        composedPath() {
            const { path, currentTarget } = stateOf(this);
            const copy = [];
            for (let i = 0; currentTarget && i < path.length; i++) copy[i] = path[i];
            return copy;
        }

        initEvent(type, bubbles = false, cancelable = false) {
            const where = executing("initEvent", "Event");
            needArguments(where, 1, arguments.length);
            initialize(stateOf(this), text(type, where), !!bubbles, !!cancelable);
        }

        preventDefault() { cancel(stateOf(this)); }
        stopPropagation() { stateOf(this).stopped = true; }

        stopImmediatePropagation() {
            const state = stateOf(this);
            state.stopped = true;
            state.stoppedNow = true;
        }
    }
    constants(Event, phase);
    exposeInterface(Event);

    function cancel(state) {
        if (state.cancelable && !state.passive) state.canceled = true;
    }

    function initialize(state, type, bubbles, cancelable) {
        if (state.dispatching) return;
        object.assign(state, {
            type, bubbles, cancelable, initialized: true, stopped: false, stoppedNow: false,
            canceled: false, target: null,
        });
    }

    // How members of a dictionary are converted. Each takes the value and the refusal's place.
    const asIs = (value) => value;
    const flag = (value) => !!value;
    const nullableText = (value, where) => (value === null ? null : text(value, where));
    const integer = (value) => Number(value) >>> 0;
    const frozenList = (value) => object.freeze(listOf(value));
    const objectOrNull = (kind) => (value, where, member, type) => {
        if (value === null || page.isInstance(kind, value)) return value;
        refuse(where, `Failed to read the '${member}' property from '${type}': `
            + `Failed to convert value to '${kind}'.`);
    };

    // An event class from its name and its attributes: name -> [conversion, default]. Defaults
    // that are functions are made anew; `required` names what the constructor insists on.
    function eventClass(name, members, required) {
        let ownOf;
        const names = object.keys(members);
        const type = `${name}Init`;

        function read(init, member, where) {
            const value = init[member];
            if (value !== undefined) return members[member][0](value, where, member, type);
            if (member === required) refuse(where, `Failed to read the '${member}' property from `
                + `'${type}': Required member is undefined.`);
            const absent = members[member][1];
            return typeof absent === "function" ? absent() : absent;
        }

        const Class = { [name]: class extends Event {
            #own = object.create(null);

            constructor(eventType, eventInitDict) {
                const where = constructing(name);
                needArguments(where, required ? 2 : 1, arguments.length);
                const init = dictionary(eventInitDict, type, where);
                super(eventType, init);
                for (let i = 0; i < names.length; i++)
                    this.#own[names[i]] = read(init, names[i], where);
            }

            static {
                ownOf = (event) => {
                    if (!isObject(event) || !(#own in event)) illegalInvocation();
                    return event.#own;
                };
            }
        } }[name];

        if (required === undefined) define(Class, "length", { value: 1 });
        for (let i = 0; i < names.length; i++) {
            const member = names[i];
            const getter = { get [member]() { return ownOf(this)[member]; } };
            define(Class.prototype, member, {
                get: object.getOwnPropertyDescriptor(getter, member).get,
                enumerable: true, configurable: true,
            });
        }
        exposeInterface(Class, name);
        page[name] = Class;
        return ownOf;
    }

    const detailOf = eventClass("CustomEvent", { detail: [asIs, null] });
    const init = { initCustomEvent(type, bubbles = false, cancelable = false, detail = null) {
        const where = executing("initCustomEvent", "CustomEvent");
        needArguments(where, 1, arguments.length);
        const own = detailOf(this);
        if (stateOf(this).dispatching) return;
        initialize(stateOf(this), text(type, where), !!bubbles, !!cancelable);
        own.detail = detail;
    } };
    define(page.CustomEvent.prototype, "initCustomEvent", {
        value: init.initCustomEvent, writable: true, enumerable: true, configurable: true,
    });
    eventClass("MessageEvent", {
        data: [asIs, null],
        origin: [text, ""],
        lastEventId: [text, ""],
        source: [objectOrNull("EventTarget"), null],
        ports: [frozenList, () => object.freeze([])],
    });
    eventClass("ErrorEvent", {
        message: [text, ""],
        filename: [text, ""],
        lineno: [integer, 0],
        colno: [integer, 0],
        error: [asIs, undefined],
    });
    eventClass("PromiseRejectionEvent", {
        promise: [(value) => reflect.apply(Promise.resolve, Promise, [value]), undefined],
        reason: [asIs, undefined],
    }, "promise");
    eventClass("PageTransitionEvent", { persisted: [flag, false] });
    eventClass("StorageEvent", {
        key: [nullableText, null],
        oldValue: [nullableText, null],
        newValue: [nullableText, null],
        url: [text, ""],
        storageArea: [objectOrNull("Storage"), null],
    });

    // A trusted event: what the world itself dispatches.
    function trusted(Class, type, eventInitDict) {
        const event = new Class(type, eventInitDict);
        stateOf(event).trusted = true;
        return event;
    }

    // Interfaces that later files define say here what belongs to them.
    const instances = object.create(null);
    page.isInstance = (kind, value) => kind in instances && instances[kind](value);
    page.setInstance = (kind, test) => { instances[kind] = test; };

    object.assign(page, { Event, eventStateOf: stateOf, eventPhase: phase, trusted });
})
