/* Stealing: the holder hears of it, goes on running, and its end changes nothing any more; who
 * waited keeps the place behind the thief.
 *
 * rules: WL-18 WL-35 WL-43 WL-53 WL-54 WL-55
 * steps:
 *   open victim
 *   open waiter
 *   open thief
 *   click victim finish
 *   click thief finish
 */
let finish;

const held = (options, word) =>
    navigator.locks.request("leader", options, (lock) => {
        probe.log(word, lock.name, lock.mode);
        return new Promise((settle) => (finish = () => settle(`what the ${word} returned`)));
    }).then((value) => probe.log("resolved:", value),
        (error) => probe.log("rejected:", error.name, error.code, error.message));

function victim() {
    held({}, "holder");
}

function waiter() {
    held({}, "waiter");
}

function thief() {
    held({ steal: true }, "thief");
}
