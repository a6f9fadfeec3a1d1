import type { OpenBrowser } from "@holdfast/browser";
import { operatorToken } from "@holdfast/processes";
import type { PageFigures } from "./pages.ts";

/** Opens a page in a session of its own, without a cache, and times it by the clock of the page. */
export async function openPage(browser: OpenBrowser, url: string): Promise<PageFigures> {
  const { page, context } = await browser.open({ token: operatorToken });
  let requests = 0;
  page.on("request", () => (requests += 1));
  await page.addInitScript(watchLongTasks);
  await page.goto(url, { waitUntil: "commit" });
  await page.waitForFunction(isDrawn, undefined, { polling: "raf", timeout: 300_000 });
  const figures = await page.evaluate(readFigures);
  await context.close();
  return { ...figures, requests };
}

interface Watching {
  blockedMs: number;
}

/** Runs in the page, before its own scripts. */
function watchLongTasks(): void {
  const watching: Watching = { blockedMs: 0 };
  Object.assign(globalThis, { holdfastBench: watching });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watching.blockedMs += duration - 50;
  }).observe({ type: "longtask", buffered: true });
}

/** Runs in the page: whether no part of it loads any more. */
function isDrawn(): boolean {
  const main = document.querySelector("main");
  return main !== null && main.childElementCount > 0 && main.querySelector(".loading") === null;
}

/** Runs in the page, in the first turn in which it answers. */
function readFigures() {
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  const { holdfastBench } = globalThis as unknown as { readonly holdfastBench: Watching };
  return {
    paintMs: paint?.startTime ?? 0,
    interactiveMs: performance.now(),
    blockedMs: holdfastBench.blockedMs,
  };
}
