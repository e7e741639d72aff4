// AbortController and AbortSignal.
probe("controller", () => {
    const controller = new AbortController();
    const { signal } = controller;
    log(signal.aborted, signal.reason, controller.signal === signal);
    signal.onabort = (e) => log(e.type, e.isTrusted, e.bubbles, e.cancelable, e.target === signal);
    controller.abort();
    controller.abort(5);
    log(signal.aborted, signal.reason);
    thrown(() => signal.throwIfAborted());
    log(AbortController.prototype.abort.length, Object.prototype.toString.call(signal));
    const given = new AbortController();
    given.abort("mine");
    log(given.signal.reason);
    thrown(() => given.signal.throwIfAborted());
    const nothing = new AbortController();
    nothing.abort(null);
    log(nothing.signal.reason);
    thrown(() => new AbortSignal());
    thrown(() => AbortController.prototype.abort.call({}));
});
probe("AbortSignal.abort", () => {
    log(AbortSignal.abort().reason, AbortSignal.abort(3).reason, AbortSignal.abort().aborted);
    AbortSignal.abort().throwIfAborted.name && log(AbortSignal.abort.length);
});
probe("AbortSignal.any", () => {
    const a = new AbortController(), b = new AbortController();
    const any = AbortSignal.any([a.signal, b.signal]);
    const nested = AbortSignal.any([any]);
    a.signal.addEventListener("abort", () => log("source", any.aborted, nested.aborted));
    any.addEventListener("abort", () => log("any", any.reason, nested.aborted));
    nested.addEventListener("abort", () => log("nested", nested.reason));
    a.abort("why");
    b.abort("late");
    log(any.reason, nested.reason, b.signal.reason);
    log(AbortSignal.any([]).aborted, AbortSignal.any([AbortSignal.abort(1), a.signal]).reason);
    log(AbortSignal.any(new Set([a.signal])).aborted);
    thrown(() => AbortSignal.any());
    thrown(() => AbortSignal.any(5));
    thrown(() => AbortSignal.any({}));
    thrown(() => AbortSignal.any([1]));
});
probe("AbortSignal.timeout", async () => {
    const signal = AbortSignal.timeout(5);
    log(signal.aborted);
    await new Promise((done) => { signal.onabort = done; });
    log(signal.aborted, signal.reason);
    thrown(() => AbortSignal.timeout());
    thrown(() => AbortSignal.timeout(-1));
    thrown(() => AbortSignal.timeout(NaN));
    thrown(() => AbortSignal.timeout(Infinity));
    thrown(() => AbortSignal.timeout("x"));
});
probe("an exception of a listener", () => {
    const controller = new AbortController();
    controller.signal.onabort = () => { throw new Error("in onabort"); };
    controller.signal.addEventListener("abort", () => log("the next one runs"));
    controller.abort();
    log("abort returned");
});
