// All that a probe's page code may use beside the platform:
//   probe.log(word, ...)    a line of this page's log
//   probe.done()            the line "done": this page's part has come to its end
// A line goes to the driver at once, through the binding `probeTell`, which works in a frozen page
// and in one that is about to go; `kept` is for what a lost connection swallowed.
"use strict";

globalThis.probe = (() => {
    const page = Math.random().toString(36).slice(2);
    const kept = [];
    const log = (...words) => {
        const line = JSON.stringify({ page, at: kept.length, text: words.map(String).join(" ").trimEnd() });
        kept.push(line);
        globalThis.probeTell?.(line);
    };
    return { log, done: () => log("done"), kept };
})();
