// Event, its subclasses, EventTarget, attributes for handlers, reported exceptions.
probe("Event", () => {
    const e = new Event("tick", { bubbles: 1, cancelable: true });
    log(e.type, e.bubbles, e.cancelable, e.composed, e.defaultPrevented, e.isTrusted);
    log(e.target, e.currentTarget, e.srcElement, e.eventPhase, e.returnValue, e.cancelBubble);
    log(e.composedPath(), typeof e.timeStamp, JSON.stringify(e), Object.keys(e));
    log(Object.prototype.toString.call(e), Event.length, Event.name, Event.AT_TARGET, e.BUBBLING_PHASE);
    log(Object.keys(Event.prototype).includes("type"), Object.keys(Event));
    thrown(() => new Event());
    thrown(() => new Event("x", 5));
    thrown(() => new Event(Symbol.iterator).name && 0);
    thrown(() => Event.prototype.type);
    log(new Event(null).type, new Event("x", null).bubbles, new Event("x", () => {}).bubbles);
    e.initEvent("other", false, false);
    log(e.type, e.bubbles, e.cancelable);
    thrown(() => e.initEvent());
});
probe("canceling", () => {
    const target = new EventTarget();
    target.addEventListener("a", (e) => { e.preventDefault(); log(e.defaultPrevented); });
    log(target.dispatchEvent(new Event("a")));
    log(target.dispatchEvent(new Event("a", { cancelable: true })));
    target.addEventListener("p", (e) => { e.preventDefault(); log(e.defaultPrevented); },
        { passive: true });
    log(target.dispatchEvent(new Event("p", { cancelable: true })));
    const e = new Event("q", { cancelable: true });
    e.returnValue = true;
    log(e.defaultPrevented);
    e.returnValue = false;
    log(e.defaultPrevented, e.returnValue);
});
probe("subclasses", () => {
    const custom = new CustomEvent("c", { detail: { a: 1 }, bubbles: true });
    log(custom.detail, custom.bubbles, custom instanceof Event, new CustomEvent("c").detail);
    custom.initCustomEvent("d", false, false, 7);
    log(custom.type, custom.detail, Object.prototype.toString.call(custom));
    const message = new MessageEvent("message", { data: 5, origin: "o", lastEventId: 3 });
    log(message.data, message.origin, message.lastEventId, message.source, message.ports);
    log(new MessageEvent("m").data, Object.isFrozen(message.ports));
    thrown(() => new MessageEvent("m", { source: 5 }));
    const error = new ErrorEvent("error", { message: "m", filename: "f", lineno: 3, colno: -1 });
    log(error.message, error.filename, error.lineno, error.colno, error.error);
    thrown(() => new PromiseRejectionEvent("u"));
    thrown(() => new PromiseRejectionEvent("u", {}));
    const promise = Promise.resolve();
    const rejection = new PromiseRejectionEvent("u", { promise, reason: 4 });
    log(rejection.promise === promise, rejection.reason);
    log(new PageTransitionEvent("pageshow", { persisted: 1 }).persisted);
    const storage = new StorageEvent("storage", { key: "k", newValue: 5, oldValue: null });
    log(storage.key, storage.newValue, storage.oldValue, storage.url, storage.storageArea);
    log(MessageEvent.length, PromiseRejectionEvent.length, Object.getPrototypeOf(MessageEvent) === Event);
    thrown(() => new CustomEvent());
    thrown(() => new MessageEvent("m", 1));
    thrown(() => Object.getOwnPropertyDescriptor(CustomEvent.prototype, "detail").get.call(message));
});
probe("listeners", () => {
    const target = new EventTarget();
    const say = (word) => (e) => log(word, e.eventPhase, e.target === target, e.currentTarget === target);
    const first = say("first");
    target.addEventListener("x", first);
    target.addEventListener("x", first);
    target.addEventListener("x", say("once"), { once: true });
    target.addEventListener("x", say("capture"), true);
    target.addEventListener("x", first, { capture: true });
    target.addEventListener("x", null);
    target.dispatchEvent(new Event("x"));
    log("again");
    target.removeEventListener("x", first);
    target.removeEventListener("x", () => {});
    const e = new Event("x");
    log(target.dispatchEvent(e), e.target === target, e.currentTarget, e.eventPhase);
    log(target.addEventListener.length, target.removeEventListener.length, EventTarget.length);
});
probe("order and removal during dispatch", () => {
    const target = new EventTarget();
    const late = () => log("late");
    const third = () => log("third");
    target.addEventListener("x", () => {
        log("one");
        target.addEventListener("x", late);
        target.removeEventListener("x", third);
    }, { once: true });
    target.addEventListener("x", () => log("two"));
    target.addEventListener("x", third);
    target.dispatchEvent(new Event("x"));
    log("again");
    target.dispatchEvent(new Event("x"));
    target.addEventListener("s", (e) => { log("s1"); e.stopPropagation(); });
    target.addEventListener("s", (e) => { log("s2"); e.stopImmediatePropagation(); });
    target.addEventListener("s", () => log("s3"));
    const e = new Event("s");
    target.dispatchEvent(e);
    log(e.cancelBubble, e.composedPath());
    target.dispatchEvent(e);
});
probe("dispatching twice", () => {
    const target = new EventTarget();
    target.addEventListener("x", (e) => {
        thrown(() => target.dispatchEvent(e));
        e.initEvent("y");
        log(e.type, e.composedPath().length);
    });
    const e = new Event("x");
    target.dispatchEvent(e);
    thrown(() => target.dispatchEvent({}));
    thrown(() => target.dispatchEvent());
    thrown(() => target.addEventListener("x"));
    thrown(() => target.addEventListener("x", 5));
    thrown(() => target.addEventListener("x", () => {}, { signal: 5 }));
    thrown(() => target.addEventListener("x", () => {}, { signal: null }));
    thrown(() => EventTarget.prototype.addEventListener.call({}, "x", () => {}));
});
probe("handleEvent and this", () => {
    const target = new EventTarget();
    const object = { handleEvent(e) { log("object", this === object, e.type); } };
    target.addEventListener("x", object);
    target.addEventListener("x", function () { log("this", this === target); });
    target.dispatchEvent(new Event("x"));
    object.handleEvent = () => log("replaced");
    target.dispatchEvent(new Event("x"));
});
probe("exceptions are reported", () => {
    const target = new EventTarget();
    target.addEventListener("x", () => { throw new RangeError("first"); });
    target.addEventListener("x", () => log("second runs"));
    log(target.dispatchEvent(new Event("x")));
    log("after");
    reportError(new TypeError("mine"));
    thrown(() => reportError());
});
probe("signal of a listener", () => {
    const target = new EventTarget();
    const controller = new AbortController();
    target.addEventListener("x", () => log("heard"), { signal: controller.signal });
    target.dispatchEvent(new Event("x"));
    controller.abort();
    target.dispatchEvent(new Event("x"));
    target.addEventListener("x", () => log("never"), { signal: controller.signal });
    target.dispatchEvent(new Event("x"));
    const second = new AbortController();
    target.addEventListener("y", () => second.abort());
    target.addEventListener("y", () => log("removed before"), { signal: second.signal });
    target.dispatchEvent(new Event("y"));
});
probe("subclass of EventTarget", () => {
    class Mine extends EventTarget { go() { return this.dispatchEvent(new Event("go")); } }
    const mine = new Mine();
    mine.addEventListener("go", function () { log(this === mine); });
    log(mine.go(), mine instanceof EventTarget, Object.keys(mine));
    class Told extends Event { constructor(n) { super("told"); this.n = n; } }
    mine.addEventListener("told", (e) => log(e.n, e instanceof Told));
    mine.dispatchEvent(new Told(5));
});
probe("interfaces", () => {
    for (const name of ["Event", "CustomEvent", "EventTarget", "AbortSignal", "AbortController",
        "MessageEvent", "StorageEvent", "PageTransitionEvent", "ErrorEvent"]) {
        const own = Object.getOwnPropertyDescriptor(globalThis, name);
        log(name, own.enumerable, own.writable, own.configurable, own.value.name, own.value.length);
        const proto = Object.getOwnPropertyDescriptor(own.value, "prototype");
        log(proto.enumerable, proto.writable, proto.configurable);
        log(Object.getOwnPropertyDescriptor(own.value.prototype, Symbol.toStringTag));
    }
    for (const name of ["AbortController", "AbortSignal", "EventTarget", "CustomEvent"])
        log(name, Object.keys(globalThis[name].prototype).filter((n) => n !== "when").sort());
});
probe("handlers of a signal", () => {
    const { signal } = new AbortController();
    log(signal.onabort);
    const say = (word) => () => log(word);
    signal.addEventListener("abort", say("before"));
    signal.onabort = say("handler");
    signal.addEventListener("abort", say("after"));
    signal.onabort = say("second handler");
    signal.dispatchEvent(new Event("abort"));
    signal.onabort = null;
    signal.onabort = say("moved to the end");
    signal.dispatchEvent(new Event("abort"));
    signal.onabort = 5;
    log(signal.onabort);
    const object = { handleEvent() { log("never"); } };
    signal.onabort = object;
    log(signal.onabort === object);
    signal.dispatchEvent(new Event("abort"));
    signal.onabort = () => false;
    const e = new Event("abort", { cancelable: true });
    log(signal.dispatchEvent(e), e.defaultPrevented);
});
