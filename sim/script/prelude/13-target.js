// EventTarget (DOM 2.7 to 2.10), attributes for event handlers (HTML 8.1.8), and what happens
// to an exception that nobody catches.
(function (page) {
    "use strict";

    const { object, define, array, reflect, weakMap } = page.primordials;
    const { isObject, executing, refuse, illegalInvocation, needArguments } = page.idl;
    const { text, exposeInterface, exposeFunction } = page.idl;
    const { eventStateOf, eventPhase, isEvent, DOMException, ErrorEvent, host } = page;
    const { WeakMap, Error, TypeError, String } = page.global;

    let ownState;
    const adopted = new WeakMap(); // targets that no constructor made: the global object

    // listeners: in the order of their adding; handlers: by type, the listener that holds the
    // value of the attribute; parent: the next target of an event that bubbles.
    const newState = () => ({ listeners: [], handlers: object.create(null), parent: null });

    // A function of the window that is called without a `this` means the window.
    const receiver = (target) =>
        (target === undefined || target === null ? page.global : target);

    function stateOf(target) {
        return ownState(target) ?? weakMap.get(adopted, target) ?? illegalInvocation();
    }

    function flatten(options) {
        return isObject(options) ? !!options.capture : !!options;
    }

    class EventTarget {
        #state = newState();

        static {
            ownState = (target) =>
                (isObject(target) && #state in target ? target.#state : undefined);
        }

        addEventListener(type, listener, options = undefined) {
            const target = receiver(this);
            const state = stateOf(target);
            const where = executing("addEventListener", "EventTarget");
            needArguments(where, 2, arguments.length);
            type = text(type, where);
            const callback = callbackOf(listener, where);
            const added = {
                type, callback, capture: flatten(options), once: false, passive: false,
                removed: false,
            };
            let signal;
            if (isObject(options)) {
                added.once = !!options.once;
                added.passive = !!options.passive;
                signal = signalOf(options.signal, where);
            }
            if (callback === null || (signal && page.isAborted(signal))) return;
            if (find(state, type, callback, added.capture) >= 0) return;
            array.push(state.listeners, added);
            if (signal) page.onAbort(signal, () => remove(state, added));
        }

        removeEventListener(type, listener, options = undefined) {
            const state = stateOf(receiver(this));
            const where = executing("removeEventListener", "EventTarget");
            needArguments(where, 2, arguments.length);
            type = text(type, where);
            const callback = callbackOf(listener, where);
            const at = find(state, type, callback, flatten(options));
            if (at >= 0) remove(state, state.listeners[at]);
        }

        dispatchEvent(event) {
            const target = receiver(this);
            stateOf(target);
            const where = executing("dispatchEvent", "EventTarget");
            needArguments(where, 1, arguments.length);
            if (!isEvent(event)) refuse(where, "parameter 1 is not of type 'Event'.");
            const state = eventStateOf(event);
            if (state.dispatching) throw new DOMException(
                `${where}: The event is already being dispatched.`, "InvalidStateError");
            state.trusted = false;
            return dispatch(target, event);
        }
    }
    exposeInterface(EventTarget);
    page.setInstance("EventTarget", (value) =>
        ownState(value) !== undefined || (isObject(value) && weakMap.has(adopted, value)));

    function callbackOf(listener, where) {
        if (listener === null || listener === undefined) return null;
        if (!isObject(listener)) refuse(where, "parameter 2 is not of type 'Object'.");
        return listener;
    }

    function signalOf(signal, where) {
        if (signal !== undefined && !page.isInstance("AbortSignal", signal))
            refuse(where, "Failed to read the 'signal' property from 'AddEventListenerOptions': "
                + "Failed to convert value to 'AbortSignal'.");
        return signal;
    }

    function find(state, type, callback, capture) {
        return array.findIndex(state.listeners, (one) =>
            one.type === type && one.callback === callback && one.capture === capture
            && one.handler === undefined);
    }

    function remove(state, listener) {
        listener.removed = true;
        const at = array.indexOf(state.listeners, listener);
        if (at >= 0) array.splice(state.listeners, at, 1);
    }

    // The target, then its parents: an event's way.
    function pathOf(target) {
        const path = [target];
        for (let at = stateOf(target).parent; at; at = stateOf(at).parent) array.push(path, at);
        return path;
    }

    // Returns false when the event was canceled. As in Chromium, a target that is no node, and so
    // has no parent, calls its listeners in the order of their adding, capturing or not, and
    // leaves the event's stop flags set (DOM 2.9 unsets them).
    function dispatch(target, event) {
        const state = eventStateOf(event);
        state.dispatching = true;
        state.target = target;
        state.path = pathOf(target);
        if (state.path.length === 1) visit(event, state, 0, null);
        else travel(event, state);
        state.phase = eventPhase.NONE;
        state.currentTarget = null;
        state.path = [];
        state.dispatching = false;
        return !state.canceled;
    }

    function travel(event, state) {
        for (let i = state.path.length - 1; i >= 0; i--) visit(event, state, i, true);
        for (let i = 0; i < state.path.length; i++)
            if (i === 0 || state.bubbles) visit(event, state, i, false);
        state.stopped = false;
        state.stoppedNow = false;
    }

    // Calls the listeners of one target: those that capture, the others, or (null) both.
    function visit(event, state, at, capturing) {
        if (state.stopped) return;
        state.phase = at === 0 ? eventPhase.AT_TARGET
            : capturing ? eventPhase.CAPTURING_PHASE : eventPhase.BUBBLING_PHASE;
        state.currentTarget = state.path[at];
        const own = stateOf(state.currentTarget);
        const listeners = array.slice(own.listeners);
        for (let i = 0; i < listeners.length && !state.stoppedNow; i++) {
            const one = listeners[i];
            if (one.removed || one.type !== state.type) continue;
            if (capturing !== null && one.capture !== capturing) continue;
            if (one.once) remove(own, one);
            state.passive = one.passive;
            invoke(one, event, state);
            state.passive = false;
        }
    }

    function invoke(listener, event, state) {
        try {
            if (listener.handler !== undefined) return callHandler(listener, event, state);
            const { callback } = listener;
            if (typeof callback === "function")
                return void reflect.apply(callback, state.currentTarget, [event]);
            const method = callback.handleEvent;
            if (typeof method !== "function")
                throw new TypeError("EventListener's handleEvent is not a function");
            reflect.apply(method, callback, [event]);
        } catch (error) {
            reportException(error);
        }
    }

    // HTML 8.1.8.1, "the event handler processing algorithm": the window's onerror has
    // arguments of its own and cancels by true, every other handler by false.
    function callHandler({ handler }, event, state) {
        if (typeof handler !== "function") return;
        const target = state.currentTarget;
        if (target === page.global && state.type === "error" && event instanceof ErrorEvent) {
            const { message, filename, lineno, colno, error } = event;
            const said = reflect.apply(handler, target, [message, filename, lineno, colno, error]);
            if (said === true && state.cancelable) state.canceled = true;
        } else if (reflect.apply(handler, target, [event]) === false) {
            if (state.cancelable && !state.passive) state.canceled = true;
        }
    }

    // Defines on<type> on the holder, a prototype or the global object. `changed` is told the
    // target whenever a value is given, as a MessagePort wants to know.
    function defineHandler(holder, type, changed) {
        const name = `on${type}`;
        const accessors = {
            get [name]() {
                return stateOf(receiver(this)).handlers[type]?.handler ?? null;
            },
            set [name](value) {
                const target = receiver(this);
                setHandler(stateOf(target), type, isObject(value) ? value : null);
                if (changed) changed(target);
            },
        };
        const { get, set } = object.getOwnPropertyDescriptor(accessors, name);
        define(holder, name, { get, set, enumerable: true, configurable: true });
    }

    // A handler keeps the place among the listeners that its first value took, until null.
    function setHandler(state, type, value) {
        const present = state.handlers[type];
        if (value === null) {
            if (present) remove(state, present);
            state.handlers[type] = undefined;
        } else if (present) {
            present.handler = value;
        } else {
            const added = {
                type, callback: null, handler: value, capture: false, once: false,
                passive: false, removed: false,
            };
            state.handlers[type] = added;
            array.push(state.listeners, added);
        }
    }

    // Makes an object that no constructor of ours made a target: the global object.
    function adopt(target) {
        weakMap.set(adopted, target, newState());
    }

    // What the console prints of an exception, and what an ErrorEvent has as its message.
    function messageOf(error) {
        try {
            const thrown = isObject(error) && (error instanceof Error || page.isDOMException(error));
            return `Uncaught ${thrown ? `${error.name}: ${error.message}` : String(error)}`;
        } catch {
            return "Uncaught exception";
        }
    }

    // HTML 8.1.4.6, "report an exception": to the window's "error" listeners, then to the host.
    let reporting = false;
    function reportException(error) {
        const window = page.global;
        let heard = false;
        if (weakMap.has(adopted, window) && !reporting) {
            reporting = true;
            try {
                const init = { message: messageOf(error), error, cancelable: true };
                heard = !dispatch(window, page.trusted(ErrorEvent, "error", init));
            } finally {
                reporting = false;
            }
        }
        if (!heard) host.uncaught(error);
    }

    exposeFunction("reportError", function reportError(e) {
        needArguments(executing("reportError", "Window"), 1, arguments.length);
        reportException(e);
    });

    object.assign(page, {
        EventTarget, adopt, dispatch, defineHandler, reportException,
        setParent(target, parent) { stateOf(target).parent = parent; },
        // Whether anybody listens: what a queue of undelivered messages wants to know.
        hasListener(target, type) {
            return array.some(stateOf(target).listeners, (one) => one.type === type);
        },
    });
})
