// The log of a probe. A probe is a plain script that runs unchanged in a page of Chromium and in
// a realm of ours; what it logs there must be equal line by line.
//
//   probe("name", body)      runs the body, in order of the calls, and waits for its promise
//   log(...values)           one line; strings as they are, other values as show() gives them
//   thrown(body)             logs what the body throws, or what its promise is rejected with
//
// An error that the language itself throws has its engine's words: log its name, not its message.
var probes = [], lines = [];

function show(value) {
    if (typeof value === "string") return JSON.stringify(value);
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "symbol") return String(value);
    if (typeof value === "function") return `function ${value.name}`;
    if (typeof value !== "object" || value === null)
        return Object.is(value, -0) ? "-0" : String(value);
    if (value instanceof DOMException)
        return `DOMException ${value.name} (${value.code}): ${value.message}`;
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    if (value instanceof Date) return `Date ${value.getTime()}`;
    if (value instanceof RegExp) return String(value);
    if (Array.isArray(value))
        return `[${Array.from(value, (v, i) => (i in value ? show(v) : "hole")).join(", ")}]`;
    if (value instanceof Map) return `Map ${show([...value])}`;
    if (value instanceof Set) return `Set ${show([...value])}`;
    if (value instanceof ArrayBuffer) return `ArrayBuffer ${show([...new Uint8Array(value)])}`;
    if (ArrayBuffer.isView(value) && !(value instanceof DataView))
        return `${value.constructor.name} ${show([...value])}`;
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    const members = Object.keys(value).map((key) => `${key}: ${show(value[key])}`).join(", ");
    return `${kind === "Object" ? "" : `${kind} `}{${members}}`;
}

function log(...values) {
    const said = values.map((value) => (typeof value === "string" ? value : show(value)));
    lines.push(said.join(" ").replaceAll("\n", "\\n"));
}

function thrown(body) {
    try {
        const result = body();
        if (!(result instanceof Promise)) return log("nothing thrown:", result);
        return result.then((value) => log("fulfilled:", value), (error) => log("rejected:", error));
    } catch (error) {
        log("thrown:", error);
    }
}

function probe(name, body) {
    probes.push([name, body]);
}

// Runs what probe() was given; resolves with the log.
async function runProbes() {
    for (const [name, body] of probes) {
        lines.push(`# ${name}`);
        try {
            await body();
        } catch (error) {
            log("NOT CAUGHT:", error, error && error.stack);
        }
    }
    return `${lines.join("\n")}\n`;
}
