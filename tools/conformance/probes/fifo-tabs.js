/* Tabs that ask one after another are served in that order; a holder that lets go before it asks
 * again stands behind them.
 *
 * rules: WL-2 WL-20 WL-42
 * steps:
 *   open first
 *   open second
 *   open third
 *   click first again
 *   click second finish
 *   click third finish
 *   click first finish
 */
let finish;

const ask = (word) => navigator.locks.request("leader", () => {
    probe.log(word);
    return new Promise((settle) => (finish = settle));
});

function first() {
    ask("leads");
}

function second() {
    ask("leads");
}

function third() {
    ask("leads");
}

function again() {
    finish();
    ask("leads again");
}
