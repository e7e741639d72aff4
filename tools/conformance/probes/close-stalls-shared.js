/* The tab of an exclusive request that waits is closed while a shared lock is held: those that
 * share and stood behind it are not granted until the holder ends, newcomers neither.
 *
 * rules: WL-26
 * steps:
 *   open holder
 *   open exclusive
 *   open sharer
 *   close exclusive
 *   open newcomer
 *   click holder finish
 */
let finish;

const share = () => navigator.locks.request("leader", { mode: "shared" }, () => {
    probe.log("granted");
    return new Promise((settle) => (finish = settle));
});

function holder() {
    share();
}

function sharer() {
    share();
}

function newcomer() {
    share();
}

function exclusive() {
    navigator.locks.request("leader", () => probe.log("granted"));
}
