/* ifAvailable never waits: null where the lock is not to be had at once.
 *
 * rules: WL-19 WL-21 WL-22
 * steps:
 *   open holder
 *   open sharer
 *   open asker
 *   click holder finish
 *   click asker asker
 *   click sharer finish
 */
let finish;

const hold = (name, mode) => navigator.locks.request(name, { mode }, () => {
    probe.log("holds", name, mode);
    return new Promise((settle) => (finish = settle));
});

function holder() {
    hold("exclusive", "exclusive");
}

function sharer() {
    hold("shared", "shared");
}

async function asker() {
    for (const name of ["exclusive", "shared", "free"])
        for (const mode of ["shared", "exclusive"])
            await navigator.locks.request(name, { mode, ifAvailable: true },
                (lock) => probe.log(name, mode, lock ? "granted" : lock));
    const { held, pending } = await navigator.locks.query();
    probe.log("held", held.length, "pending", pending.length);
}
