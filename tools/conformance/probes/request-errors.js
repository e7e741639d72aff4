/* What request() refuses, with the sentences of this engine: a rejection each time, never a throw,
 * and the callback never runs. Where a call has two defects, the first check wins.
 *
 * rules: WL-9 WL-10 WL-11 WL-12
 * steps:
 *   open page
 */
const callback = () => probe.log("the callback ran");
const live = new AbortController().signal;
const gone = AbortSignal.abort("a reason of mine");

const calls = {
    "no argument": [],
    "no callback": ["a"],
    "name is a symbol": [Symbol("a"), callback],
    "options are a number": ["a", 1, callback],
    "options are null": ["free", null, () => {}],
    "mode is unknown": ["a", { mode: "bogus" }, callback],
    "mode is null": ["a", { mode: null }, callback],
    "signal is null": ["a", { signal: null }, callback],
    "callback is a string": ["a", {}, "call me"],
    "callback is an object": ["a", {}, { handleEvent: callback }],
    "name begins with a dash": ["-a", callback],
    "steal and ifAvailable": ["a", { steal: true, ifAvailable: true }, callback],
    "steal and shared": ["a", { steal: true, mode: "shared" }, callback],
    "signal and steal": ["a", { signal: live, steal: true }, callback],
    "signal and ifAvailable": ["a", { signal: live, ifAvailable: true }, callback],
    "signal has aborted": ["a", { signal: gone }, callback],
    "mode before signal": ["a", { mode: "bogus", signal: null }, callback],
    "signal before callback": ["a", { signal: null }, 1],
    "callback before dash": ["-a", {}, 1],
    "dash before options": ["-a", { steal: true, ifAvailable: true }, callback],
    "ifAvailable before shared": ["a", { steal: true, ifAvailable: true, mode: "shared" }, callback],
    "shared before signal": ["a", { steal: true, mode: "shared", signal: live }, callback],
    "options before aborted": ["a", { steal: true, signal: gone }, callback],
};

async function page() {
    for (const [defect, given] of Object.entries(calls)) {
        let promise;
        try {
            promise = navigator.locks.request(...given);
        } catch (error) {
            probe.log(defect, "throws", error.name);
            continue;
        }
        await promise.then(() => probe.log(`${defect}: granted`),
            (e) => probe.log(`${defect}:`, e.name ?? `the reason "${e}"`, e.message ?? ""));
    }
    probe.done();
}
