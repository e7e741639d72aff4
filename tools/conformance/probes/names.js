/* A name is a string of code units: empty, zero and lone surrogates are names, and none is changed.
 *
 * rules: WL-6
 * steps:
 *   open page
 */
async function page() {
    const names = { empty: "", zero: "\0", lone: "\uD800", replacement: "\uFFFD", inner: "a-b",
        upper: "A", lower: "a", composed: "\u00E9", decomposed: "e\u0301" };
    const locks = navigator.locks;
    for (const [word, name] of Object.entries(names))
        await locks.request(name, (lock) => probe.log(word, lock.name === name));
    await locks.request("\uD800", () => locks.request("\uFFFD", { ifAvailable: true },
        (lock) => probe.log("a lone surrogate is the replacement character:", !lock)));
    await locks.request("\u00E9", () => locks.request("e\u0301", { ifAvailable: true },
        (lock) => probe.log("names are normalised:", !lock)));
    probe.done();
}
