// The browser of the tests: Debian's chromium, or the one that CHROMIUM names. Nothing is
// ever downloaded.
import { chromium } from "playwright-core";

export function launch() {
    return chromium.launch({
        executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
        args: ["--no-sandbox", "--disable-gpu"],
    });
}
