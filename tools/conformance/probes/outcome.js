/* request() settles as its callback does; the lock is free before that.
 *
 * rules: WL-35 WL-40
 * steps:
 *   open page
 */
const tell = (word, promise) => promise.then((v) => probe.log(word, "resolves", v),
    (e) => probe.log(word, "rejects", e?.message ?? e));

async function page() {
    const locks = navigator.locks;
    await tell("a value", locks.request("a", () => 7));
    await tell("nothing", locks.request("a", () => {}));
    await tell("a promise", locks.request("a", async () => "later"));
    await tell("a throw", locks.request("a", () => { throw new Error("thrown"); }));
    await tell("a rejection", locks.request("a", () => Promise.reject("refused")));
    await tell("a thenable", locks.request("a", () => ({ then: (settle) => settle("then") })));
    await tell("ifAvailable", locks.request("a", { ifAvailable: true }, (lock) => lock?.mode));
    await locks.request("a", (lock) => probe.log("a lock has", Object.keys(Object.getPrototypeOf(lock))));
    await locks.request("a", () => tell("unavailable",
        locks.request("a", { ifAvailable: true }, (lock) => lock)));
    await locks.request("a", () => tell("unavailable, thrown",
        locks.request("a", { ifAvailable: true }, () => { throw new Error("no lock"); })));
    await tell("afterwards", locks.request("a", { ifAvailable: true }, (lock) => Boolean(lock)));
    probe.done();
}
