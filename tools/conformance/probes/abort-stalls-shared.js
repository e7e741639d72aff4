/* An exclusive request that waits is withdrawn while a shared lock is held: those that share and
 * stood behind it are not granted until the holder ends, newcomers neither.
 *
 * rules: WL-26
 * steps:
 *   open holder
 *   open exclusive
 *   open sharer
 *   click exclusive withdraw
 *   open newcomer
 *   click holder finish
 */
let controller, finish;

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
    controller = new AbortController();
    navigator.locks.request("leader", { signal: controller.signal }, () => probe.log("granted"))
        .catch((e) => probe.log(e.name));
}

function withdraw() {
    controller.abort();
}
