import { afterAll, beforeAll, test } from "@jest/globals";
import { type Bench, startBench } from "./bench.ts";
import { holdsToPolicy } from "./checks/policy.ts";
import { showRefusals } from "./checks/refusals.ts";
import { pauseResumeRetry } from "./checks/task-actions.ts";
import { getChromium } from "./find-chromium.ts";

// What each change is checked with; `console.browser.test.ts` has all pages and all that operators
// do.
const chromium = await getChromium((line) => void process.stderr.write(`${line}\n`));
/** A test that is counted as skipped without a browser. */
const inBrowser = chromium === null ? test.skip : test;

const owner = new AsyncDisposableStack();
let bench: Bench;
beforeAll(async () => {
  if (chromium === null) return;
  bench = owner.use(await startBench(chromium));
});
afterAll(() => owner.disposeAsync());

inBrowser("the page holds to a policy without inline scripts, and the browser enforces it", () =>
  holdsToPolicy(bench),
);

inBrowser("a task is paused, resumed and retried in the console while services are killed", () =>
  pauseResumeRetry(bench),
);

inBrowser("an action that the service refuses, or cannot do, is shown as refused", () =>
  showRefusals(bench),
);
