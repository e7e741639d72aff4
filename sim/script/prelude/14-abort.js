// AbortController and AbortSignal (DOM 3).
(function (page) {
    "use strict";

    const { object, array, set, setNext } = page.primordials;
    const { isObject, executing, refuse, illegalInvocation, inside, onlyInside } = page.idl;
    const { needArguments, enforceRange, exposeInterface, sequence } = page.idl;
    const { EventTarget, Event, DOMException, host } = page;
    const { Set } = page.global;

    let stateOf;

    class AbortSignal extends EventTarget {
        #state = {
            aborted: false, reason: undefined,
            algorithms: [],           // what runs before the event "abort"
            dependents: new Set(),    // signals of any() that follow this one
            sources: null,            // of a signal of any(): the signals it follows
        };

        constructor(token = undefined) {
            onlyInside(token, "AbortSignal");
            super();
        }

        static {
            stateOf = (signal) => {
                if (!isObject(signal) || !(#state in signal)) illegalInvocation();
                return signal.#state;
            };
            page.setInstance("AbortSignal", (value) => isObject(value) && #state in value);
        }

        static abort(reason = undefined) {
            const signal = new AbortSignal(inside);
            const state = stateOf(signal);
            state.aborted = true;
            state.reason = reasonOf(reason);
            return signal;
        }

        static any(signals) {
            const where = executing("any", "AbortSignal");
            needArguments(where, 1, arguments.length);
            const list = sequence(signals, where);
            for (let i = 0; i < list.length; i++)
                if (!page.isInstance("AbortSignal", list[i]))
                    refuse(where, "Failed to convert value to 'AbortSignal'.");
            return follow(list);
        }

        static timeout(milliseconds) {
            const where = executing("timeout", "AbortSignal");
            needArguments(where, 1, arguments.length);
            const delay = enforceRange(milliseconds, 64, where);
            const signal = new AbortSignal(inside);
            host.timer(delay, () => {
                abort(signal, new DOMException("signal timed out", "TimeoutError"));
            });
            return signal;
        }

        get aborted() { return stateOf(this).aborted; }
        get reason() { return stateOf(this).reason; }

        throwIfAborted() {
            const state = stateOf(this);
            if (state.aborted) throw state.reason;
        }
    }
    page.defineHandler(AbortSignal.prototype, "abort");
    exposeInterface(AbortSignal);

    function reasonOf(reason) {
        if (reason !== undefined) return reason;
        return new DOMException("signal is aborted without reason", "AbortError");
    }

    // "create a dependent abort signal": sources are never dependents themselves.
    function follow(signals) {
        const signal = new AbortSignal(inside);
        const state = stateOf(signal);
        for (let i = 0; i < signals.length; i++) {
            const source = stateOf(signals[i]);
            if (!source.aborted) continue;
            state.aborted = true;
            state.reason = source.reason;
            return signal;
        }
        state.sources = new Set();
        for (let i = 0; i < signals.length; i++) {
            const { sources } = stateOf(signals[i]);
            if (sources === null) link(signals[i], signal);
            else eachOf(sources, (source) => link(source, signal));
        }
        return signal;
    }

    function link(source, dependent) {
        set.add(stateOf(dependent).sources, source);
        set.add(stateOf(source).dependents, dependent);
    }

    function eachOf(values, visit) {
        const all = set.values(values);
        for (let step = setNext(all); !step.done; step = setNext(all)) visit(step.value);
    }

    // "signal abort": every dependent has its reason before anybody hears of it.
    function abort(signal, reason) {
        const state = stateOf(signal);
        if (state.aborted) return;
        state.aborted = true;
        state.reason = reasonOf(reason);
        const waiting = [];
        eachOf(state.dependents, (dependent) => {
            const own = stateOf(dependent);
            if (own.aborted) return;
            own.aborted = true;
            own.reason = state.reason;
            array.push(waiting, dependent);
        });
        tell(signal);
        for (let i = 0; i < waiting.length; i++) tell(waiting[i]);
    }

    function tell(signal) {
        const state = stateOf(signal);
        const { algorithms } = state;
        state.algorithms = [];
        for (let i = 0; i < algorithms.length; i++) algorithms[i]();
        page.dispatch(signal, page.trusted(Event, "abort"));
    }

    let signalOf;

    class AbortController {
        #signal = new AbortSignal(inside);

        static {
            signalOf = (controller) => {
                if (!isObject(controller) || !(#signal in controller)) illegalInvocation();
                return controller.#signal;
            };
        }

        get signal() { return signalOf(this); }

        // A reason is optional: the method's length is 0.
        abort(reason = undefined) { abort(signalOf(this), reason); }
    }
    exposeInterface(AbortController);

    object.assign(page, {
        AbortSignal,
        isAborted: (signal) => stateOf(signal).aborted,
        abortReason: (signal) => stateOf(signal).reason,
        onAbort(signal, run) { array.push(stateOf(signal).algorithms, run); },
        offAbort(signal, run) {
            const state = stateOf(signal);
            state.algorithms = array.filter(state.algorithms, (one) => one !== run);
        },
    });
})
