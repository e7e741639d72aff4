// What the probes' pages load, on a free port of the loopback.
//
//   /probe/NAME/FUNCTION    a page: the seam, the probe's file, then a call of the function
//   /away                   a page without any script
//   /slow/MS/WORD           answers WORD after so many milliseconds
//
// The site has a log too: what it received, answered, and whose connection went away before.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));

const page = (name, part) => `<!doctype html><title>${name} ${part}</title>
<script src="/seam.js"></script><script src="/probes/${name}.js"></script>
<script>${part}();</script>`;

function slow(response, log, ms, word) {
    log(`received ${word}`);
    let answered = false;
    response.on("close", () => answered || log(`lost ${word}`));
    setTimeout(() => {
        if (response.destroyed) return;
        answered = true;
        log(`answered ${word}`);
        response.end(word);
    }, ms);
}

async function answer(url, response, log) {
    const [first, ...rest] = url.split("/").slice(1);
    response.setHeader("Content-Type", "text/html");
    if (first === "slow") return slow(response, log, Number(rest[0]), rest[1]);
    if (first === "away") return response.end("<!doctype html><title>away</title>");
    if (first === "probe") return response.end(page(rest[0], rest[1]));
    if (/^\/(seam|probes\/[\w-]+)\.js$/.test(url)) {
        response.setHeader("Content-Type", "text/javascript");
        return response.end(await readFile(folder + url.slice(1)));
    }
    response.writeHead(404).end();
}

// `log` is called with each line. The site's address is in `origin`.
export async function openSite(log) {
    const server = createServer((request, response) => {
        answer(request.url, response, log).catch(() => response.writeHead(500).end());
    });
    await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
    return {
        origin: `http://localhost:${server.address().port}`,
        close: () => {
            server.closeAllConnections();
            server.close();
        },
    };
}
