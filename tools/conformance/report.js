// What run.js prints: two logs as one text, and the table of rules.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

// Both texts whole, line by line: "  " in both, "- " only in the first, "+ " only in the second.
export function merge(first, second) {
    const [a, b] = [first, second].map((text) => text.trimEnd().split("\n"));
    // common[i][j]: length of the longest common subsequence of what follows
    const common = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
    for (let i = a.length - 1; i >= 0; i--)
        for (let j = b.length - 1; j >= 0; j--)
            common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
    const out = [];
    let i = 0, j = 0;
    while (i < a.length || j < b.length) {
        if (i < a.length && j < b.length && a[i] === b[j]) {
            out.push(`  ${a[i++]}`);
            j++;
        } else if (j === b.length || (i < a.length && common[i + 1][j] >= common[i][j + 1])) {
            out.push(`- ${a[i++]}`);
        } else {
            out.push(`+ ${b[j++]}`);
        }
    }
    return out.join("\n");
}

// not-testable.txt: a rule and why no probe shows it, one a line.
function notTestable() {
    const path = fileURLToPath(new URL("not-testable.txt", import.meta.url));
    return readFileSync(path, "utf8").split("\n").filter((line) => /^[A-Z]/.test(line))
        .map((line) => line.match(/^(\S+)\s+(.*)$/).slice(1));
}

const byRule = ([a], [b]) => a.localeCompare(b, "en", { numeric: true });

// A rule is equal when every probe that shows it is.
export function table(results, all) {
    const rules = new Map();
    for (const { probe, equal } of results)
        for (const rule of probe.rules) {
            const row = rules.get(rule) ?? { equal: true, names: [] };
            row.equal &&= equal;
            row.names.push(probe.name);
            rules.set(rule, row);
        }
    const rows = [...rules].map(([rule, { equal, names }]) =>
        [rule, equal ? "equal" : "different", names.join(", ")]);
    if (all) rows.push(...notTestable().map(([rule, why]) => [rule, "not testable here", why]));
    rows.sort(byRule);
    const count = (verdict) => rows.filter((row) => row[1] === verdict).length;
    return [
        ...rows.map(([rule, verdict, why]) => `${rule.padEnd(8)}${verdict.padEnd(19)}${why}`),
        `${rows.length} rules: ${count("equal")} equal, ${count("different")} different, `
            + `${count("not testable here")} not testable here`,
    ].join("\n");
}
