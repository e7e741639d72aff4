// The browser of the tests: Debian's chromium, or the one that CHROMIUM names. Nothing is
// ever downloaded.
import { chromium } from "playwright-core";

const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
const args = ["--no-sandbox", "--disable-gpu"];

export function launch() {
    return chromium.launch({ executablePath, args });
}

// With a profile folder of its own, and more arguments.
export function open(profile, more) {
    return chromium.launchPersistentContext(profile, { executablePath, args: [...args, ...more] });
}
