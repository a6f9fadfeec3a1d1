import { afterAll, beforeAll, test } from "@jest/globals";
import { type Bench, startBench } from "./bench.ts";
import { decideApprovals } from "./checks/approvals.ts";
import { repairInBulk } from "./checks/bulk.ts";
import { holdRemote, pauseAgent, retireWorkflow } from "./checks/fleet-actions.ts";
import { showHostileText } from "./checks/hostile-text.ts";
import { repairByKeys } from "./checks/keyboard.ts";
import { showManyAttempts, showManyTasks } from "./checks/many.ts";
import { useFromOtherOrigin } from "./checks/other-origin.ts";
import { beginStreamLate, surviveOutages } from "./checks/outages.ts";
import { openEachPage } from "./checks/pages.ts";
import { runSchedules } from "./checks/schedules.ts";
import { type Seeded, seed } from "./checks/seed.ts";
import { sendSignals } from "./checks/signals.ts";
import { cancelTasks, resubmitAndResolve } from "./checks/task-actions.ts";
import { endWaits } from "./checks/waits.ts";
import { getChromium } from "./find-chromium.ts";

const chromium = await getChromium((line) => void process.stderr.write(`${line}\n`));
/** A test that is counted as skipped without a browser. */
const inBrowser = chromium === null ? test.skip : test;

const owner = new AsyncDisposableStack();
let bench: Bench;
let seeded: Seeded;
beforeAll(async () => {
  if (chromium === null) return;
  bench = owner.use(await startBench(chromium));
  seeded = await seed(bench);
});
afterAll(() => owner.disposeAsync());

inBrowser(
  "each page opens in dark and in light without complaints, without barriers and as it is laid out",
  async () => {
    await openEachPage(bench, seeded);
  },
);

inBrowser(
  "a task is undone and another one cancelled in the console while services are killed",
  () => cancelTasks(bench),
);

inBrowser(
  "a halted task is resubmitted and another one resolved in the console while services are killed",
  () => resubmitAndResolve(bench),
);

inBrowser(
  "the wait of a step is drawn and ended in the console while a Scheduler is killed, and another cut short by an undo",
  () => endWaits(bench),
);

inBrowser(
  "a signal is sent in the console while a Scheduler is killed, and one that came too late is shown so",
  () => sendSignals(bench),
);

inBrowser(
  "two of an audience approve a step with their keys while a Scheduler is killed, and one is shown what another decided meanwhile",
  () => decideApprovals(bench),
);

inBrowser(
  "a schedule is paused, fired by hand while a Scheduler is killed and resumed, and another is shown to be blocked by its last task",
  () => runSchedules(bench),
);

inBrowser("an Agent is paused and resumed in the console while a Scheduler is killed", () =>
  pauseAgent(bench),
);

inBrowser("a breaker is opened and closed in the console while an Agent is killed", () =>
  holdRemote(bench),
);

inBrowser("a workflow is retired and reinstated in the console while a submission is killed", () =>
  retireWorkflow(bench),
);

inBrowser(
  "a bulk operation goes from its dry run over a canary to a verified outcome while a Supervisor is killed",
  () => repairInBulk(bench),
);

inBrowser(
  "a page of another origin submits with the client where its origin is named, and nowhere else",
  () => useFromOtherOrigin(bench),
);

inBrowser("an operator repairs a task by the keyboard alone, and sees where the focus is", () =>
  repairByKeys(bench),
);

inBrowser("hostile text in every field is shown as text, and nothing of it runs", () =>
  showHostileText(bench),
);

inBrowser("a task with a thousand attempts shows each of them", () => showManyAttempts(bench));

inBrowser(
  "a list of a hundred thousand tasks is scrolled to its end, and its URL is its state",
  () => showManyTasks(bench),
);

inBrowser(
  "the console says that the store, the network or the service is away, and goes on when it is back",
  () => surviveOutages(bench),
);

inBrowser("a task that came before the stream began is in the list", () => beginStreamLate(bench));
