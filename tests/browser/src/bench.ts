import { operatorToken } from "@holdfast/processes";
import { type OpenBrowser, openBrowser, type Theme, type Watched } from "./open-browser.ts";
import { type ConsoleSystem, startConsoleSystem } from "./system/start-console-system.ts";

/** One system and one browser for all tests. */
export interface Bench extends AsyncDisposable {
  readonly at: ConsoleSystem;
  readonly browser: OpenBrowser;
  /** A tab that has signed in and shows this path of the console, once it is drawn. */
  readonly show: (path: string, options?: ShowOptions) => Promise<Shown>;
}

interface ShowOptions {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
}

export interface Shown extends Watched, AsyncDisposable {
  goTo(path: string): Promise<void>;
}

export async function startBench(chromium: string): Promise<Bench> {
  await using stack = new AsyncDisposableStack();
  const at = stack.use(await startConsoleSystem());
  const browser = stack.use(await openBrowser(chromium, at.origin));
  const owned = stack.move();
  return {
    at,
    browser,
    async show(path, options = {}) {
      const watched = await browser.open({ token: operatorToken, ...options });
      const goTo = async (next: string): Promise<void> => {
        await watched.page.goto(`${at.origin}/console${next}`);
        await drawn(watched.page);
      };
      await goTo(path);
      return { ...watched, goTo, [Symbol.asyncDispose]: () => watched.context.close() };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Resolves when no part of the page loads any more. */
export async function drawn(page: Watched["page"]): Promise<void> {
  await page.waitForFunction(() => {
    const main = document.querySelector("main");
    return main !== null && main.childElementCount > 0 && main.querySelector(".loading") === null;
  });
}
