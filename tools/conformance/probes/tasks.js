/* Nothing of request() happens in the task that called it, not even the grant of a free lock;
 * microtasks of the callback run before its lock is released.
 *
 * rules: WL-16 WL-34 LC-5
 * steps:
 *   open page
 *   click page hold
 */
function page() {
    navigator.locks.request("a", () => probe.log("callback"));
    queueMicrotask(() => probe.log("microtask"));
    Promise.resolve().then(() => {}).then(() => probe.log("second microtask"));
    probe.log("the call is over");
}

function hold() {
    navigator.locks.request("b", () => {
        probe.log("callback begins");
        queueMicrotask(() => probe.log("microtask of the callback"));
        setTimeout(() => probe.log("task of the callback"));
        return "value";
    }).then(() => probe.log("request resolves"));
}
