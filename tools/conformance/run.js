// The probes in the installed Chromium, compared with what was recorded.
//
//   node run.js [NAME...]             plays the probes; the table of rules; 0 equal, 1 different
//   node run.js --record [NAME...]    records them: golden/chromium-MAJOR/NAME.log
//
// A probe that differs is played once more, with nothing beside it: a busy machine may have kept a
// line back until after its step. Recorded is only what was the same three times in a row.
// 2: the call, a probe's file or the browser is not what it should be.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch } from "./cdp.js";
import { merge, table } from "./report.js";
import { readProbe, Refused } from "./script.js";
import { play } from "./stage.js";

const AT_ONCE = 3;
const RECORDINGS = 3;
const RECORDED = "golden/chromium-156";

const here = fileURLToPath(new URL(".", import.meta.url));
const recordOf = (probe, folder = RECORDED) => `${here}${folder}/${probe.name}.log`;

function probes(names) {
    const known = readdirSync(`${here}probes`).filter((f) => f.endsWith(".js"))
        .map((f) => f.slice(0, -3)).sort();
    const unknown = names.find((name) => !known.includes(name));
    if (unknown) throw new Refused(`no probe is called ${unknown}; there are ${known.join(", ")}`);
    return (names.length ? names : known).map((name) => readProbe(`${here}probes/${name}.js`));
}

// Results in the order of the items, a few of them at work at once.
async function each(items, work) {
    const results = [];
    let next = 0;
    const worker = async () => {
        for (let i; (i = next++) < items.length;) results[i] = await work(items[i]);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return results;
}

const playText = async (browser, probe) => `${(await play(browser, probe)).join("\n")}\n`;

async function compare(browser, chosen) {
    const results = await each(chosen, async (probe) => {
        if (!existsSync(recordOf(probe))) throw new Refused(`${probe.name} was never recorded`);
        const recorded = readFileSync(recordOf(probe), "utf8");
        return { probe, recorded, told: await playText(browser, probe) };
    });
    for (const result of results) {
        if (result.told !== result.recorded) result.told = await playText(browser, result.probe);
        result.equal = result.told === result.recorded;
        if (result.equal) continue;
        console.log(`DIFFERENT ${result.probe.name} (- recorded, + told now)`);
        console.log(merge(result.recorded, result.told));
    }
    return results;
}

// Who records some probes only must have the browser that recorded the others.
function admit(folder, version, all) {
    const path = `${here}${folder}/measured.txt`;
    const other = existsSync(path) && readFileSync(path, "utf8").split("\n")[0] !== version;
    if (other && !all) throw new Refused(`${folder} was recorded by another version: record all`);
    mkdirSync(`${here}${folder}`, { recursive: true });
    const today = new Date().toISOString().slice(0, 10);
    writeFileSync(path, `${version}\n${process.platform} ${process.arch}\n${today}\n`);
}

async function record(browser, chosen, all) {
    const folder = `golden/chromium-${browser.version.match(/\d+/)[0]}`;
    admit(folder, browser.version, all);
    const fickle = await each(chosen, async (probe) => {
        const told = [];
        for (let i = 0; i < RECORDINGS; i++) told.push(await playText(browser, probe));
        const other = told.find((text) => text !== told[0]);
        if (other) return `NOT RECORDED ${probe.name}: told twice, not the same\n${merge(told[0], other)}`;
        writeFileSync(recordOf(probe, folder), told[0]);
        return "";
    });
    for (const text of fickle.filter(Boolean)) console.log(text);
    return fickle.filter(Boolean).length;
}

async function main(words) {
    const recording = words[0] === "--record";
    const names = recording ? words.slice(1) : words;
    const chosen = probes(names);
    const browser = await launch();
    try {
        console.log(browser.version);
        if (recording) return await record(browser, chosen, names.length === 0) ? 1 : 0;
        const results = await compare(browser, chosen);
        console.log(table(results, names.length === 0));
        const equal = results.filter((r) => r.equal).length;
        console.log(`${equal} passed, ${results.length - equal} failed`);
        return equal === results.length ? 0 : 1;
    } finally {
        await browser.close();
    }
}

main(process.argv.slice(2)).then((status) => { process.exitCode = status; }, (error) => {
    console.error(`conformance: ${error instanceof Refused ? error.message : error.stack}`);
    process.exitCode = 2;
});
