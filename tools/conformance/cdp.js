// Chromium over a pipe, by the DevTools protocol, with the browser's own defaults in force:
// tools that drive browsers usually switch off the back/forward cache and timer throttling and
// pretend that every tab is visible, which are the things that the probes look at.
//
//   const browser = await launch();          Debian's chromium, or the one that CHROMIUM names
//   browser.version                          "Chromium 156.0.8078.114"
//   await browser.send(method, params, session)
//   browser.on(session, (method, params) => ...)    what it tells of a session
//   await browser.close()                    the process has ended, its folder is gone
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CLOSING_MS = 5000;
const ARGUMENTS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-quic",
    "--remote-debugging-pipe",
];

class Browser {
    constructor(process, folder) {
        this.process = process;
        this.folder = folder;
        this.asked = new Map();
        this.listeners = new Map();
        this.last = 0;
        this.read(process.stdio[4]);
        process.stdio[3].on("error", () => {}); // a browser that died is told by its exit
        this.ended = new Promise((tell) => process.on("exit", tell));
        this.ended.then(() => {
            this.gone = true;
            for (const { fail } of this.asked.values()) fail(new Error("the browser has ended"));
            this.asked.clear();
        });
    }

    // Messages are JSON, each ended by a zero byte.
    read(pipe) {
        let rest = [];
        pipe.on("data", (bytes) => {
            let from = 0;
            for (let end; (end = bytes.indexOf(0, from)) >= 0; from = end + 1) {
                rest.push(bytes.subarray(from, end));
                this.take(JSON.parse(Buffer.concat(rest).toString()));
                rest = [];
            }
            rest.push(bytes.subarray(from));
        });
    }

    take({ id, sessionId, method, params, result, error }) {
        if (id === undefined) return this.listeners.get(sessionId)?.(method, params);
        const asked = this.asked.get(id);
        this.asked.delete(id);
        if (error) asked?.fail(new Error(`${asked.method}: ${error.message}`));
        else asked?.answer(result);
    }

    send(method, params = {}, sessionId = undefined) {
        if (this.gone) return Promise.reject(new Error("the browser has ended"));
        const id = ++this.last;
        return new Promise((answer, fail) => {
            this.asked.set(id, { method, answer, fail });
            this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
        });
    }

    on(session, listener) {
        this.listeners.set(session, listener);
    }

    async close() {
        const patience = setTimeout(() => this.process.kill("SIGKILL"), CLOSING_MS);
        await this.send("Browser.close").catch(() => {});
        await this.ended;
        clearTimeout(patience);
        rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    }
}

export async function launch() {
    const folder = mkdtempSync(join(tmpdir(), "conformance-"));
    const child = spawn(process.env.CHROMIUM || "/usr/bin/chromium",
        [...ARGUMENTS, `--user-data-dir=${folder}`, "about:blank"],
        { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    child.on("error", () => {});
    const browser = new Browser(child, folder);
    const { product } = await browser.send("Browser.getVersion");
    browser.version = product.replace(/^\w+\//, "Chromium ");
    return browser;
}
