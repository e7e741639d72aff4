/* In which order request() reads its arguments.
 *
 * rules: WL-9
 * steps:
 *   open page
 */
function page() {
    const options = {};
    for (const key of ["steal", "signal", "mode", "ifAvailable", "unknown"])
        Object.defineProperty(options, key, { get: () => void probe.log("reads", key) });
    const name = { toString: () => (probe.log("reads the name"), "a") };
    navigator.locks.request(name, options, (lock) => probe.log("granted", lock.name, lock.mode))
        .then(probe.done);
}
