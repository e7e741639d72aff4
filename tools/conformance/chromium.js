// Runs probes in real Chromium: node tools/conformance/chromium.js [--record] PROBE_test.js...
//
// The log of X_test.js is compared with golden/X.log beside it, which the unit tests hold our own
// page environment to; --record writes that file instead. One line for each
// difference; the last line is "N passed, N failed".
import { createServer } from "node:http";
import { readFileSync, writeFileSync } from "node:fs";
import { launch } from "../browser/browser.js";

const record = process.argv[2] === "--record";
const files = process.argv.slice(record ? 3 : 2);
const harness = readFileSync(new URL("log.js", import.meta.url), "utf8");
const counts = { passed: 0, failed: 0 };

// A page of a secure context: the loopback interface is one.
const server = createServer((request, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>probe</title>");
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const address = `http://localhost:${server.address().port}/`;

async function logOf(browser, file) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(address);
    await page.addScriptTag({ content: harness });
    await page.evaluate(() => {
        addEventListener("error", (event) => {
            log("uncaught:", event.error);
            event.preventDefault();
        });
    });
    await page.addScriptTag({ content: readFileSync(file, "utf8") });
    const text = await page.evaluate(() => runProbes());
    await context.close();
    return text;
}

function compare(file, found) {
    const expected = readFileSync(file, "utf8").split("\n");
    const lines = found.split("\n");
    let section = "";
    let differences = 0;
    for (let i = 0; i < Math.max(lines.length, expected.length); i++) {
        if (lines[i]?.startsWith("# ")) section = lines[i];
        if (lines[i] === expected[i]) continue;
        differences++;
        console.log(`${file}:${i + 1}: ${section}\n  recorded ${expected[i]}\n  Chromium ${lines[i]}`);
        break;
    }
    counts[differences ? "failed" : "passed"]++;
}

const browser = await launch();
try {
    for (const file of files) {
        const found = await logOf(browser, file);
        const recorded = file.replace(/([^/]*)_test\.js$/, "golden/$1.log");
        if (record) writeFileSync(recorded, found);
        else compare(recorded, found);
    }
} finally {
    await browser.close();
    server.close();
}
if (!record) console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed ? 1 : 0);
