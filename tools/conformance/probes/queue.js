/* First come, first served: neighbours that share are granted together, an exclusive request that
 * waits holds back those that share behind it, and names do not know of each other.
 *
 * rules: WL-20 WL-21 WL-22 WL-23 WL-24
 * steps:
 *   open page
 *   click page another
 *   click page finish
 *   click page finish
 *   click page finish
 *   click page finish
 *   click page finish
 *   click page finish
 */
const held = [];

const ask = (name, mode) => navigator.locks.request("queue", { mode }, () => {
    probe.log("granted", name);
    return new Promise((settle) => held.push(() => (probe.log("ends", name), settle())));
});

function page() {
    for (const name of ["S1", "X2", "S3", "S4", "X5", "S6"])
        ask(name, name.startsWith("S") ? "shared" : "exclusive");
    navigator.locks.request("queue", { mode: "shared", ifAvailable: true },
        (lock) => probe.log("one that shares and does not wait gets", lock));
}

function another() {
    navigator.locks.request("another", () => probe.log("granted another name"));
}

function finish() {
    held.shift()();
}
