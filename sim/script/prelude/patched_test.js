// A bundle that patches the language does not reach into the library, and nothing of the inside
// is handed to it.
const patches = [
    [Array.prototype, ["push", "slice", "splice", "indexOf", "filter", "some", "findIndex", "map",
        "includes", "forEach", "concat", "join", Symbol.iterator]],
    [Map.prototype, ["get", "set", "has", "delete", "values", "entries", "forEach"]],
    [Set.prototype, ["add", "has", "values", "delete", "forEach"]],
    [WeakMap.prototype, ["get", "set", "has"]],
    [String.prototype, ["slice", "split", "charCodeAt", "toLowerCase", "trim", "replace"]],
    [RegExp.prototype, ["exec", "test"]],
    [Function.prototype, ["call", "apply", "bind"]],
    [Promise.prototype, ["then"]],
    [Object, ["keys", "assign", "create", "defineProperty", "freeze"]],
    [Reflect, ["apply", "ownKeys"]],
];

// Runs the body while every one of these functions throws.
function patched(body) {
    const kept = [];
    const keep = kept.push.bind(kept);
    const { defineProperty } = Object;
    for (const [holder, keys] of patches)
        for (const key of keys) keep([holder, key, Object.getOwnPropertyDescriptor(holder, key)]);
    const count = kept.length;
    for (let i = 0; i < count; i++)
        kept[i][0][kept[i][1]] = () => { throw new Error("the library called a patched function"); };
    try {
        return body();
    } catch (error) {
        return error;
    } finally {
        for (let i = 0; i < count; i++) defineProperty(kept[i][0], kept[i][1], kept[i][2]);
    }
}

probe("events and signals", () => {
    let heard = 0;
    log(patched(() => {
        const target = new EventTarget();
        const controller = new AbortController();
        const { signal } = controller;
        target.addEventListener("x", () => { heard++; }, { signal });
        target.addEventListener("x", () => { heard++; }, { once: true });
        signal.onabort = () => { heard += 10; };
        const event = new CustomEvent("x", { detail: 1 });
        target.dispatchEvent(event);
        event.composedPath();
        const any = AbortSignal.any({ *[Symbol.iterator]() { yield signal; } });
        any.addEventListener("abort", () => { heard += 100; });
        controller.abort();
        target.dispatchEvent(new MessageEvent("x"));
        target.removeEventListener("x", () => {});
        return any.reason.message;
    }), heard);
});
