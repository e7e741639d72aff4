/* A signal withdraws a request that waits, at once and with its reason; after the grant it means
 * nothing. Aborted in the task that asked, the callback never runs, though the lock was free.
 *
 * rules: WL-17 WL-29 WL-36 WL-37 WL-38 WL-39
 * steps:
 *   open holder
 *   open asker
 *   open behind
 *   click asker abortWaiting
 *   click holder finish
 *   click behind abortHeld
 *   click behind finish
 *   click asker abortAtOnce
 *   click asker timeOut
 */
let controller, finish;

const ask = (word, signal) => navigator.locks.request("leader", { signal }, () => {
    probe.log(word, "is granted");
    return new Promise((settle) => (finish = () => settle("its value")));
}).then((value) => probe.log(word, "resolves", value),
    (e) => probe.log(word, "rejects", e.name ?? e, e.message ?? ""));

function begin(word) {
    controller = new AbortController();
    ask(word, controller.signal);
}

function holder() {
    begin("the holder");
}

function asker() {
    begin("the asker");
}

function behind() {
    begin("who is behind");
}

function abortWaiting() {
    setTimeout(() => probe.log("a task after abort()"));
    controller.abort("my reason");
    probe.log("abort() is over");
    Promise.resolve().then(() => Promise.resolve()).then(() => probe.log("microtasks after abort()"));
}

function abortHeld() {
    controller.abort("too late");
    probe.log("abort() is over");
}

async function abortAtOnce() {
    begin("in the same task");
    controller.abort();
    await new Promise((awake) => setTimeout(awake, 50));
    const { held, pending } = await navigator.locks.query();
    probe.log("held", held.length, "pending", pending.length);
}

function timeOut() {
    navigator.locks.request("another", () => navigator.locks.request("another",
        { signal: AbortSignal.timeout(20) }, () => {})).catch((e) => probe.log(e.name, e.message));
}
