// report.html and timeline.html in a real browser: node report_test.js FOLDER
//
// FOLDER is what report_e2e.sh has left there: green/ and red/, the --out of two gates;
// timeline.html and timeline.jsonl, one round that broke; large.html, one of forty lanes and
// tens of thousands of observations. One line for each claim that does not hold; the last line
// is "N passed, N failed".
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.js";

const folder = resolve(process.argv[2]);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const counts = { passed: 0, failed: 0 };

function holds(claim, truth, found) {
    counts[truth ? "passed" : "failed"]++;
    if (!truth) console.log(`FAILED: ${claim}${found === undefined ? "" : `: ${found}`}`);
}

function equal(claim, found, expected) {
    const same = JSON.stringify(found) === JSON.stringify(expected);
    holds(claim, same, `found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
}

const browser = await launch();

// A page that has said nothing on the console and asked nobody for anything.
async function open(name, look = {}) {
    const context = await browser.newContext(look);
    const page = await context.newPage();
    page.said = [];
    page.asked = [];
    page.on("console", (m) => page.said.push(m.text()));
    page.on("pageerror", (e) => page.said.push(e.message));
    page.on("request", (r) => {
        if (!/^(file|data):/.test(r.url())) page.asked.push(r.url());
    });
    await page.goto(pathToFileURL(`${folder}/${name}`).href);
    return page;
}

async function close(page, name) {
    equal(`${name}: nothing on the console`, page.said, []);
    equal(`${name}: nothing is asked of a network`, page.asked, []);
    await page.context().close();
}

// Contrast, labels, roles.
async function accessible(page, name) {
    await page.evaluate(axe);
    const found = await page.evaluate(() => globalThis.axe.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"],
    }));
    const text = found.violations.map((v) =>
        `${v.id} (${v.nodes.length}, first ${v.nodes[0].html.slice(0, 90)})`);
    equal(`${name}: axe-core finds nothing`, text, []);
}

// ---- report.html ----------------------------------------------------------------------------


async function sameNumbers(page, gate, name) {
    const shown = await page.$$eval("table.conditions tbody tr", (rows) => rows.map((row) => {
        const text = (cell) => cell.textContent.trim();
        const [value, threshold, bound] = [...row.querySelectorAll("td.num")].map(text);
        return [row.id, row.querySelector(".pill").textContent, value, threshold, bound];
    }));
    const stored = gate.conditions.map((c) => [`c-${c.name}`, c.judged ? c.verdict : "shown",
        c.value || "–", c.threshold || "–", c.bound95 || "–"]);
    equal(`${name}: conditions`, shown, stored);

    const quantiles = await page.$$eval("table.quantiles tbody tr", (rows) => Object.fromEntries(
        rows.filter((row) => row.querySelector("td[data-us]")).map((row) => [
            row.querySelector("th").textContent,
            [...row.querySelectorAll("td[data-us]")].map((cell) => Number(cell.dataset.us)),
        ])));
    const of = (part) => ["p50", "p90", "p99", "p999"].map((q) => part[q].value);
    equal(`${name}: failover quantiles`, quantiles["Eligible: what is judged"],
        of(gate.failover_us));
    for (const [cause, part] of Object.entries(gate.failover_us.by_cause))
        if (part.p999.value !== null)
            equal(`${name}: quantiles of ${cause}`, quantiles[cause], of(part));

    const cells = await page.$$eval("table.heat td[title*='×']", (all) => all.map((c) => c.title));
    const hits = new Map(cells.map((t) => [t.split(": ")[0], Number(t.split(": ")[1])]));
    let wrong = 0;
    for (const [fault, phases] of Object.entries(gate.coverage.hits))
        for (const [phase, n] of Object.entries(phases))
            if (n > 0 && hits.get(`${fault} × ${phase}`) !== n) wrong++;
    equal(`${name}: coverage cells that differ`, wrong, 0);
    holds(`${name}: coverage is there`, hits.size >= gate.coverage.cells, hits.size);
    equal(`${name}: mutants`, await page.$$eval("table.matrix tbody tr", (r) => r.length),
        gate.mutants.length);
}

async function testReport(out, verdict) {
    const gate = JSON.parse(readFileSync(`${folder}/${out}/gate.json`));
    for (const colorScheme of ["light", "dark"]) {
        const name = `${out}/report.html, ${colorScheme}`;
        const page = await open(`${out}/report.html`, { colorScheme });
        holds(`${name}: the verdict`, (await page.textContent("h1")).startsWith(verdict));
        equal(`${name}: the verdict is the first heading`,
            await page.$eval("h1, h2", (h) => h.tagName), "H1");
        await sameNumbers(page, gate, name);
        await accessible(page, name);
        await close(page, name);
    }
}

async function testSmallAndPlain(out) {
    const phone = await open(`${out}/report.html`, { viewport: { width: 390, height: 844 } });
    const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
    holds("on a phone the page does not scroll sideways", wide <= 390, wide);
    await accessible(phone, "report.html on a phone");
    await close(phone, "report.html on a phone");

    const plain = await open(`${out}/report.html`, { javaScriptEnabled: false });
    holds("without scripts the report is whole",
        (await plain.locator("section").count()) > 8 && (await plain.locator("tr").count()) > 80);
    await close(plain, "report.html without scripts");
}

async function testFailures() {
    const page = await open("red/report.html");
    const lines = await page.$$eval("#failures pre.command", (all) =>
        all.map((pre) => pre.textContent));
    holds("failures have lines to paste", lines.some((l) => /replay \S+ --seed 0x/.test(l)));
    const link = page.locator("#failures a", { hasText: "Timeline" }).first();
    holds("a failure links to its timeline", (await link.count()) === 1);
    await link.click();
    await page.waitForSelector("canvas");
    holds("the timeline is that of the round", /no-fail-open/.test(await page.textContent("header")));
    await close(page, "red/report.html");
}

// ---- timeline.html ---------------------------------------------------------------------------

const span = (page) => page.evaluate(() => window.timeline.view.to - window.timeline.view.from);
const from = (page) => page.evaluate(() => window.timeline.view.from);
const chosen = (page) => page.evaluate(() => window.timeline.view.chosen);

async function key(page, ...names) {
    await page.focus("canvas");
    for (const name of names) await page.keyboard.press(name);
}

async function testKeys(page) {
    await key(page, "0");
    const whole = await span(page);
    await key(page, "+", "+");
    holds("+ zooms in", (await span(page)) < whole / 2);
    const at = await from(page);
    await key(page, "d");
    holds("d pans to later", (await from(page)) > at);
    await key(page, "0");
    holds("0 shows the whole round", Math.abs((await span(page)) - whole) < 1);
    await key(page, "Home");
    equal("Home chooses the first observation", await chosen(page), 0);
    await key(page, "ArrowRight", "ArrowRight");
    equal("the right arrow chooses the next", await chosen(page), 2);
    const lane = () => page.evaluate(() =>
        window.timeline.data.events[window.timeline.view.chosen][1]);
    await key(page, "End", "ArrowLeft", "ArrowLeft");
    const here = await lane();
    await key(page, "ArrowUp");
    holds("the up arrow goes to a lane above", (await lane()) < here);
    const cause = await page.evaluate(() => {
        const events = window.timeline.data.events, n = events.findIndex((e) => e[3] >= 0);
        window.timeline.choose(n);
        return events[n][3];
    });
    await key(page, "c");
    equal("c goes to the cause", await chosen(page), cause);
}

async function testSearch(page) {
    await key(page, "/");
    equal("/ goes to the search", await page.evaluate(() => document.activeElement.id), "find");
    await page.fill("#find", "#7");
    await page.press("#find", "Enter");
    equal("a number is found", await chosen(page), 7);
    holds("and told", (await page.textContent("#detail")).startsWith("#7 "));
    await page.fill("#find", "fault.begun");
    await page.press("#find", "Enter");
    holds("words are found", /fault\.begun/.test(await page.textContent("#detail h2")));
    await page.fill("#find", "no such thing");
    await page.press("#find", "Enter");
    equal("what is not there is said", await page.textContent("#found"), "nothing found");
}

async function testPointer(page) {
    const box = await page.locator("canvas").boundingBox();
    await key(page, "0");
    const whole = await span(page);
    await page.mouse.move(box.x + box.width / 2, box.y + 60);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -400);
    await page.keyboard.up("Control");
    await page.waitForTimeout(50);
    holds("Ctrl and the wheel zoom", (await span(page)) < whole * 0.9);
    const before = await from(page);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 - 200, box.y + 60, { steps: 4 });
    await page.mouse.up();
    holds("dragging pans", (await from(page)) > before);
    await page.mouse.move(box.x + box.width / 2, box.y + 46);
    await key(page, "0");
    await page.mouse.move(box.x + box.width - 60, box.y + box.height / 2);
    holds("hovering tells what is there", await page.isVisible("#tip"));
}

// The numbers of all observations, from the history that replay wrote of the same round.
function historyLength() {
    const lines = readFileSync(`${folder}/timeline.jsonl`, "utf8").trim().split("\n");
    return lines.length - 1;
}

async function testTimeline() {
    for (const colorScheme of ["light", "dark"]) {
        const page = await open("timeline.html", { colorScheme });
        await accessible(page, `timeline.html, ${colorScheme}`);
        await close(page, `timeline.html, ${colorScheme}`);
    }
    const page = await open("timeline.html");
    equal("every observation is in it",
        await page.evaluate(() => window.timeline.data.events.length), historyLength());
    const witness = await page.evaluate(() => window.timeline.data.witnesses[0]);
    await key(page, "v");
    holds("v goes to a witness", witness.slice(1).includes(await chosen(page)));
    const line = page.locator(".story a").first();
    const number = Number((await line.textContent()).slice(1));
    await line.click();
    equal("a line of the story leads to its observation", await chosen(page), number);
    await testKeys(page);
    await testSearch(page);
    await testPointer(page);
    holds("something is drawn", await page.evaluate(() => {
        const c = document.getElementById("canvas"), p = c.getContext("2d");
        const d = p.getImageData(0, 0, c.width, c.height).data;
        const seen = new Set();
        for (let i = 0; i < d.length; i += 64) seen.add((d[i] << 16) | (d[i + 1] << 8) | d[i + 2]);
        return seen.size > 12;
    }));
    await close(page, "timeline.html");

    const plain = await open("timeline.html", { javaScriptEnabled: false });
    equal("without scripts there is a row for each observation",
        await plain.locator("table.events tbody tr").count(), historyLength());
    holds("and no stage", !(await plain.isVisible(".app")));
    await close(plain, "timeline.html without scripts");
}

async function testLarge() {
    const began = Date.now();
    const page = await open("large.html");
    await page.waitForFunction(() => window.timeline);
    holds("a large round is there within 3 s", Date.now() - began < 3000, Date.now() - began);
    const [lanes, events, frame] = await page.evaluate(() => {
        const t = window.timeline, times = [];
        for (let i = 0; i < 20; i++) {
            const at = performance.now();
            t.view.from += 1000 * i;
            t.draw();
            times.push(performance.now() - at);
        }
        times.sort((a, b) => a - b);
        return [t.data.lanes.length, t.data.events.length, times[4]];
    });
    holds("it has forty lanes", lanes >= 40, lanes);
    holds("and twenty thousand observations", events >= 20000, events);
    // Some 2 ms where a graphics card draws; here software does, on cores that others use too.
    holds("a frame of it takes under 30 ms", frame < 30, frame);
    console.log(`large round: ${lanes} lanes, ${events} observations, ${frame.toFixed(1)} ms a frame`);
    await close(page, "large.html");
}

await testReport("green", "GATE ");
await testReport("red", "GATE FAIL");
await testSmallAndPlain("green");
await testFailures();
await testTimeline();
await testLarge();
await browser.close();
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed ? 1 : 0);
