// One probe in the browser: tabs that do the steps, and the log that they leave.
//
// The log is what may be compared: the steps in their order, and under each what was logged until
// nothing more came. Within a step the lines of one tab are in their order; between tabs there is
// no order, since they are processes of their own: tabs stand in the order in which they opened.
import { openSite } from "./site.js";

const LOOK_MS = 50;      // how often the pages are asked for lines
const QUIET_LOOKS = 4;   // so often in a row nothing new: the step is over
const PATIENCE_MS = 10000;
const SITE = "site";

const sleep = (ms) => new Promise((awake) => setTimeout(awake, ms));

class Stage {
    constructor(browser, probe, context, frame) {
        this.browser = browser;
        this.probe = probe;
        this.context = context;
        this.tabs = new Map();
        this.lines = new Map([[SITE, []]]); // of this step, by tab
        this.all = new Map([[SITE, []]]);
        this.frame = frame;
    }

    log(tab, text) {
        this.lines.get(tab).push(text);
        this.all.get(tab).push(text);
    }

    // -- a tab ------------------------------------------------------------------------------

    async open({ tab: name, rest }) {
        const { targetId } = await this.browser.send("Target.createTarget",
            { url: "about:blank", browserContextId: this.context, newWindow: true });
        const { sessionId } = await this.browser.send("Target.attachToTarget",
            { targetId, flatten: true });
        const tab = { name, targetId, sessionId, seen: new Set(), asleep: false };
        this.tabs.set(name, tab);
        this.lines.set(name, []);
        this.all.set(name, []);
        this.browser.on(sessionId, (method, params) => this.hear(tab, method, params));
        for (const domain of ["Page", "Runtime", "Network"]) await this.ask(tab, `${domain}.enable`);
        await this.ask(tab, "Runtime.addBinding", { name: "probeTell" });
        await this.navigate({ tab: name, rest: rest || name });
    }

    ask(tab, method, params) {
        return this.browser.send(method, params, tab.sessionId);
    }

    hear(tab, method, params) {
        if (method === "Runtime.bindingCalled") this.take(tab, params.payload);
        if (method === "Runtime.exceptionThrown") {
            const { exception, text } = params.exceptionDetails;
            this.log(tab.name, `uncaught ${exception?.description?.split("\n")[0] ?? text}`);
        }
        tab.heard?.(method, params);
    }

    // A line may come twice: at once and when the page is asked.
    take(tab, json) {
        const { page, at, text } = JSON.parse(json);
        const key = `${page} ${at}`;
        if (tab.seen.has(key)) return;
        tab.seen.add(key);
        this.log(tab.name, text);
    }

    // Resolves with the event's parameters; `after` is done once the tab listens.
    hears(tab, wanted, after) {
        return new Promise((tell, fail) => {
            const late = setTimeout(() => fail(new Error(`${tab.name}: no ${wanted}`)), PATIENCE_MS);
            tab.heard = (method, params) => {
                if (method !== wanted) return;
                clearTimeout(late);
                tab.heard = undefined;
                tell(params);
            };
            after().catch(fail);
        });
    }

    evaluate(tab, expression) {
        return this.ask(tab, "Runtime.evaluate", { expression, returnByValue: true });
    }

    // -- the steps --------------------------------------------------------------------------

    async navigate({ tab: name, rest }) {
        const tab = this.tabs.get(name);
        const path = rest ? `/probe/${this.probe.name}/${rest}` : "/away";
        const url = this.site.origin + path;
        await this.hears(tab, "Page.loadEventFired", () => this.ask(tab, "Page.navigate", { url }));
    }

    async reload({ tab: name }) {
        const tab = this.tabs.get(name);
        await this.hears(tab, "Page.loadEventFired", () => this.ask(tab, "Page.reload"));
    }

    async back({ tab: name }) {
        const tab = this.tabs.get(name);
        const { currentIndex, entries } = await this.ask(tab, "Page.getNavigationHistory");
        const entryId = entries[currentIndex - 1].id;
        const { type } = await this.hears(tab, "Page.frameNavigated",
            () => this.ask(tab, "Page.navigateToHistoryEntry", { entryId }));
        this.log(name, type === "BackForwardCacheRestore" ? "(restored)" : "(loaded again)");
    }

    async click({ tab: name, rest }) {
        const { exceptionDetails } = await this.evaluate(this.tabs.get(name), `void ${rest}()`);
        if (exceptionDetails) throw new Error(exceptionDetails.exception.description);
    }

    async until({ tab: name, rest }) {
        for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
            if (this.all.get(name).includes(rest)) return;
            await sleep(LOOK_MS);
            await this.look();
        }
        this.log(name, `(never said "${rest}")`);
    }

    wait({ ms }) {
        return sleep(ms);
    }

    async window({ tab: name }, windowState) {
        const { targetId } = this.tabs.get(name);
        const { windowId } = await this.browser.send("Browser.getWindowForTarget", { targetId });
        await this.browser.send("Browser.setWindowBounds", { windowId, bounds: { windowState } });
    }

    hide(step) {
        return this.window(step, "minimized");
    }

    show(step) {
        return this.window(step, "normal");
    }

    async freeze({ tab: name }) {
        const tab = this.tabs.get(name);
        tab.asleep = true;
        await this.ask(tab, "Page.setWebLifecycleState", { state: "frozen" });
    }

    async thaw({ tab: name }) {
        const tab = this.tabs.get(name);
        await this.ask(tab, "Page.setWebLifecycleState", { state: "active" });
        tab.asleep = false;
    }

    async close({ tab: name }) {
        const { targetId } = this.tabs.get(name);
        this.tabs.delete(name);
        await this.browser.send("Target.closeTarget", { targetId });
    }

    async crash({ tab: name }) {
        const tab = this.tabs.get(name);
        this.tabs.delete(name);
        await this.hears(tab, "Inspector.targetCrashed", async () => {
            this.ask(tab, "Page.crash").catch(() => {}); // nobody is left to answer
        });
    }

    network({ tab: name }, offline) {
        return this.ask(this.tabs.get(name), "Network.emulateNetworkConditions",
            { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
    }

    cut(step) {
        return this.network(step, true);
    }

    heal(step) {
        return this.network(step, false);
    }

    // -- the log ----------------------------------------------------------------------------

    // Asks every page that can answer; so its main thread has come round, too.
    async look() {
        for (const tab of this.tabs.values()) {
            if (tab.asleep) continue;
            const { result } = await this.evaluate(tab, "globalThis.probe?.kept ?? []");
            for (const line of result?.value ?? []) this.take(tab, line);
        }
    }

    count() {
        let n = 0;
        for (const lines of this.all.values()) n += lines.length;
        return n;
    }

    async settle() {
        let quiet = 0;
        for (let waited = 0; quiet < QUIET_LOOKS && waited < PATIENCE_MS; waited += LOOK_MS) {
            const before = this.count();
            await sleep(LOOK_MS);
            await this.look();
            quiet = this.count() === before ? quiet + 1 : 0;
        }
    }

    // Lines without an order stand last, sorted.
    section(step) {
        const free = (line) => this.probe.unordered.includes(line.split(" ")[0]);
        const out = [step.text];
        for (const [tab, lines] of this.lines) {
            const told = [...lines.filter((l) => !free(l)), ...lines.filter(free).sort()];
            out.push(...told.map((line) => `    ${tab}: ${line}`));
            lines.length = 0;
        }
        return out;
    }

    async play() {
        const log = [];
        for (const step of this.probe.steps) {
            const { tab, command, text } = step;
            if (tab && command !== "open" && command !== "until" && !this.tabs.has(tab))
                throw new Error(`${this.probe.name}: "${text}": no such tab is open`);
            await this[command](step);
            await this.settle();
            log.push(...this.section(step));
        }
        return log;
    }
}

// The lines of the log. Each call has storage, locks and an address of its own.
export async function play(browser, probe) {
    const { browserContextId } = await browser.send("Target.createBrowserContext");
    const stage = new Stage(browser, probe, browserContextId);
    stage.site = await openSite((text) => stage.log(SITE, text));
    try {
        return await stage.play();
    } finally {
        await browser.send("Target.disposeBrowserContext", { browserContextId });
        stage.site.close();
    }
}
