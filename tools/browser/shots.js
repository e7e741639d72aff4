// Pictures of a page for people to look at: node shots.js PAGE.html FOLDER
// Light, dark, phone width and print.
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.js";

const [page, folder] = process.argv.slice(2);
if (!page || !folder) {
    console.error("usage: node shots.js PAGE.html FOLDER");
    process.exit(2);
}
mkdirSync(folder, { recursive: true });
const browser = await launch();
const looks = {
    light: { colorScheme: "light", viewport: { width: 1280, height: 900 } },
    dark: { colorScheme: "dark", viewport: { width: 1280, height: 900 } },
    phone: { colorScheme: "light", viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
};
for (const [name, look] of Object.entries(looks)) {
    const tab = await browser.newPage(look);
    await tab.goto(pathToFileURL(resolve(page)).href);
    await tab.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
    if (name === "light") await tab.pdf({ path: `${folder}/print.pdf`, format: "A4" });
    await tab.close();
}
await browser.close();
