// What `replay --format perfetto` writes, opened in the trace viewer that Chromium brings along,
// the panel Performance of its developer tools: node trace_test.js FILE
//
// The debugging port of a browser serves that panel as a page. Everything stays on loopback.
// One line for each claim that does not hold; the last line is "N passed, N failed".
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { open } from "./browser.js";

const file = resolve(process.argv[2]);
const events = JSON.parse(readFileSync(file, "utf8")).traceEvents;
const counts = { passed: 0, failed: 0 };

function holds(claim, truth, found) {
    counts[truth ? "passed" : "failed"]++;
    if (!truth) console.log(`FAILED: ${claim}: ${JSON.stringify(found)}`);
}

// The names that the metadata of one kind give.
const named = (what) => events.filter((e) => e.ph === "M" && e.name === what).map((e) => e.args.name);

const profile = mkdtempSync(join(tmpdir(), "trace-"));
const browser = await open(profile, ["--remote-debugging-port=0", "--remote-allow-origins=*"]);
try {
    const port = readFileSync(join(profile, "DevToolsActivePort"), "utf8").split("\n")[0];
    const page = await browser.newPage();
    const errors = [];
    page.on("pageerror", (e) => errors.push(e.message));
    await page.goto(`http://127.0.0.1:${port}/devtools/devtools_app.html?panel=timeline`);
    const chosen = page.waitForEvent("filechooser");
    await page.getByLabel(/load trace/i).first().click();
    await (await chosen).setFiles(file);

    await page.evaluate(async () => {
        const { TimelinePanel } = await import("./panels/timeline/timeline.js");
        globalThis.panel = TimelinePanel.TimelinePanel.instance();
    });

    // What it has made of the file: its tracks, its slices, the time that they cover.
    const seen = await (await page.waitForFunction(() => {
        const provider = globalThis.panel.flameChart?.mainDataProvider;
        const data = provider?.timelineData();
        if (!data?.entryStartTimes?.length) return null;
        return {
            tracks: data.groups.map((g) => g.name),
            slices: data.entryStartTimes.length,
            span: provider.totalTime(),
        };
    }, null, { timeout: 20000 })).jsonValue();

    const slices = events.filter((e) => e.ph === "X");
    const lanes = new Set(slices.map((e) => e.pid));
    holds("every slice is drawn", seen.slices === slices.length, [seen.slices, slices.length]);
    const names = named("process_name").filter((_, i) => lanes.has(i + 1));
    const missing = names.filter((n) => !seen.tracks.some((t) => t.startsWith(n)));
    holds("every lane is a track", names.length > 5 && missing.length === 0, missing);
    for (const track of ["belief", "leader lock", "accepted fence", "requests"])
        holds(`a track ${track}`, seen.tracks.some((t) => t.startsWith(track)), seen.tracks);
    const end = Math.max(...slices.map((e) => e.ts + e.dur)) / 1000;
    holds("it covers the round", Math.abs(seen.span - end) < end / 10, [seen.span, end]);
    holds("nothing was thrown", errors.length === 0, errors);
} finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed ? 1 : 0);
