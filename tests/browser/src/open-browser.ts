import { type BrowserContext, chromium, type Page } from "playwright-core";

export type Theme = "light" | "dark";

interface OpenOptions {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
  readonly scale?: number;
  /** What the page sends as the operators' token; null: it asks. */
  readonly token: string | null;
  readonly actor?: string;
}

/** What a browser reported of a page that should have nothing to report. */
export interface Watched {
  readonly page: Page;
  readonly context: BrowserContext;
  /**
   * Errors and warnings of the console, exceptions, requests to other hosts, dialogs, breaches of
   * the policy.
   */
  readonly complaints: string[];
}

export interface OpenBrowser extends AsyncDisposable {
  readonly version: string;
  /** A tab with a session of its own. */
  open(options: OpenOptions): Promise<Watched>;
}

/** Starts a browser that has no window. */
export async function openBrowser(executablePath: string, origin: string): Promise<OpenBrowser> {
  const isRoot = process.getuid?.() === 0;
  const browser = await chromium.launch({
    executablePath,
    // The sandbox of Chromium does not work for root.
    args: ["--disable-dev-shm-usage", ...(isRoot ? ["--no-sandbox"] : [])],
  });
  return {
    version: `Chromium ${browser.version()}`,
    async open(options) {
      const { theme = "light", width = 1360, height = 850, scale = 1 } = options;
      const context = await browser.newContext({
        colorScheme: theme,
        viewport: { width, height },
        deviceScaleFactor: scale,
        reducedMotion: "reduce",
        locale: "en-GB",
        timezoneId: "UTC",
      });
      await context.addInitScript(beforeThePage, {
        token: options.token,
        actor: options.actor ?? "ada@example.com",
      });
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      const complaints: string[] = [];
      watch(page, new URL(origin).host, complaints);
      return { page, context, complaints };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

interface Given {
  readonly token: string | null;
  readonly actor: string;
}

/** Runs in the page, before its own scripts. */
function beforeThePage({ token, actor }: Given): void {
  if (token !== null && sessionStorage.getItem("holdfast.token") === null) {
    sessionStorage.setItem("holdfast.token", token);
    sessionStorage.setItem("holdfast.actor", actor);
  }
  document.addEventListener("securitypolicyviolation", (event) => {
    // oxlint-disable-next-line no-console -- This is how it reaches the test.
    console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
  });
}

function watch(page: Page, host: string, complaints: string[]): void {
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      complaints.push(`console: ${message.text()} ${message.location().url}`);
    }
  });
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.host !== host) complaints.push(`request to ${url.href}`);
  });
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
}
