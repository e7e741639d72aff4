// A probe's file: page code, and before it one comment with a sentence, the rules that it shows
// and the steps of the driver.
//
//   /* Stealing: the holder hears of it, who waits keeps the place.
//    *
//    * rules: WL-18 WL-53
//    * unordered: fetch storage         lines that begin so may come in any order (none: leave out)
//    * steps:
//    *   open victim                    a tab, in which the function of that name is called
//    *   click victim release           a function of an open page, in a task of its own
//    *   until victim done              waits for that line; 10 s at most
//    */
//
// The steps are those of the schedules of scenarios, plus `click` (a user at work), `until` and
// `wait`. After each, the driver waits until nothing more is logged.
import { readFileSync } from "node:fs";

const TAB = 1;       // the tab, nothing else
const TAB_WORD = 2;  // ... and a function, or the words of a line
const TAB_MAYBE = 3; // ... and perhaps a function
const TIME = 4;

export const COMMANDS = {
    open: TAB_MAYBE,     // in a window of its own, which is visible
    navigate: TAB_MAYBE, // to a page of the probe that runs the function, or to one without script
    click: TAB_WORD,
    until: TAB_WORD,
    wait: TIME,
    reload: TAB,
    back: TAB,
    hide: TAB,
    show: TAB,
    freeze: TAB, // hides it too
    thaw: TAB,   // it stays hidden
    close: TAB,
    crash: TAB, // its process dies
    cut: TAB,   // from the network
    heal: TAB,
};

export class Refused extends Error {}

function step(text, where) {
    const [command, ...words] = text.split(/\s+/);
    const shape = COMMANDS[command];
    if (!shape) {
        const known = Object.keys(COMMANDS).join(", ");
        throw new Refused(`${where}: no step is called ${command}; there are ${known}`);
    }
    const fits = shape === TIME ? words.length === 1 && /^\d+ms$/.test(words[0])
        : shape === TAB ? words.length === 1
        : shape === TAB_WORD ? words.length >= 2 : words.length === 1 || words.length === 2;
    if (!fits) throw new Refused(`${where}: "${text}" has too many or too few words`);
    if (shape === TIME) return { text, command, ms: parseInt(words[0], 10) };
    return { text, command, tab: words[0], rest: words.slice(1).join(" ") };
}

// { name, says, rules, unordered, steps }
export function readProbe(path) {
    const name = path.replace(/^.*\//, "").replace(/\.js$/, "");
    const probe = { name, says: "", rules: [], unordered: [], steps: [] };
    const lines = readFileSync(path, "utf8").split("\n");
    let part = "says";
    for (const [i, raw] of lines.entries()) {
        const line = raw.replace(/\*\/.*$/, "").replace(/^\s*\/?\*+/, "").trim();
        const [, key, words] = line.match(/^(rules|unordered|steps):\s*(.*)$/) ?? [];
        if (key) part = key;
        const text = key ? words : line;
        if (text === "") { /* between the parts */ }
        else if (part === "says") probe.says += (probe.says ? " " : "") + text;
        else if (part === "steps") probe.steps.push(step(text, `${path}:${i + 1}`));
        else probe[part].push(...text.split(/\s+/));
        if (raw.includes("*/")) break;
    }
    if (!probe.rules.length || !probe.steps.length)
        throw new Refused(`${path}: its first comment has no "rules:" or no "steps:"`);
    return probe;
}
