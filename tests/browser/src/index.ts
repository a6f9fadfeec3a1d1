export { findChromium, getChromium } from "./find-chromium.ts";
export { type OpenBrowser, openBrowser, type Theme, type Watched } from "./open-browser.ts";
