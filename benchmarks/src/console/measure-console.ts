import { mkdir, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { getChromium, type OpenBrowser, openBrowser } from "@holdfast/browser";
import { median, rounded } from "@holdfast/load";
import {
  createDatabase,
  holdfastFolder,
  type LocalStack,
  queryOnce,
  startLocalStack,
} from "@holdfast/local-stack";
import { startSystem } from "@holdfast/processes";
import { createVhost } from "@holdfast/test-servers";
import { fillStore, rowsOfFinished } from "../flat/fill-store.ts";
import type { BenchOptions } from "../options.ts";
import { settingOf } from "../setting.ts";
import { threeSteps } from "../workflow.ts";
import { openPage } from "./open-page.ts";
import { type PageFigures, type PageName, pageNames, pathsFor } from "./pages.ts";
import { type ConsoleResult, type OfPages, report } from "./report.ts";

type Say = (line: string) => void;

const smallRows = 15_000;

/**
 * Measures how long each page of the console takes in a store with little in it, and in a full one.
 */
export async function measureConsole(options: BenchOptions, say: Say): Promise<ConsoleResult> {
  const chromium = await getChromium(say);
  if (chromium === null) throw new Error("The console is measured with Chromium.");
  const load = rounded(loadavg()[0] ?? 0, 1);
  await using owner = new AsyncDisposableStack();
  const dataFolder = join(holdfastFolder(), "bench-console");
  const stack = owner.use(
    await startLocalStack({
      purpose: "demo",
      dataFolder,
      fresh: true,
      management: true,
      log: say,
    }),
  );
  const rows = { small: smallRows, large: options.finished };
  const small = await openSubject(owner, stack, { ...options, finished: rows.small });
  say(`filled: ${rows.small} rows`);
  const large = await openSubject(owner, stack, options);
  say(`filled: ${rows.large} rows`);
  const browser = owner.use(await openBrowser(chromium, small.origin));
  const taken = { small: newTimes(), large: newTimes() };
  for (let round = 0; round < options.rounds; round += 1) {
    for (const [size, subject] of Object.entries({ small, large })) {
      await measureRound(browser, subject, taken[size as keyof typeof taken]);
    }
    say(`round ${round + 1} of ${options.rounds}`);
  }
  const result: ConsoleResult = {
    ...(await settingOf(stack.postgres.url)),
    chromium: browser.version,
    load,
    rounds: options.rounds,
    rows,
    figures: { small: mediansOf(taken.small), large: mediansOf(taken.large) },
  };
  await mkdir(options.folder, { recursive: true });
  await writeFile(join(options.folder, "console.md"), report(result));
  say(report(result));
  return result;
}

interface Subject {
  readonly origin: string;
  readonly taskId: string;
}

/** A store with so many rows, and the services that the console needs. */
async function openSubject(
  owner: AsyncDisposableStack,
  { postgres, broker }: LocalStack,
  { finished, without }: Pick<BenchOptions, "finished" | "without">,
): Promise<Subject> {
  const { url } = owner.use(await createDatabase(postgres.url));
  const { managementUrl } = broker;
  if (managementUrl === null) throw new Error("The broker has no management API.");
  const vhost = await createVhost({ url: broker.url, managementUrl });
  owner.defer(() => vhost.drop());
  const system = owner.use(
    await startSystem({
      stateStoreUrl: url,
      broker: { url: vhost.url, importDefinitions: (all) => vhost.importDefinitions(all) },
      count: { operations: 1, submission: 0, scheduler: 1, supervisor: 0, agent: 0, partners: 0 },
      workflows: [threeSteps.definition],
      without,
      env: { operations: { CONSOLE: "on" } },
    }),
  );
  await fillStore(url, { pending: 0, finished: Math.ceil(finished / rowsOfFinished) });
  const [newest] = await queryOnce<{ readonly id: string }>(
    url,
    "select task_id as id from state.tasks order by task_id desc limit 1",
  );
  return { origin: system.operationsUrl, taskId: newest?.id ?? "" };
}

type Times = Record<PageName, PageFigures[]>;

const newTimes = (): Times =>
  Object.fromEntries(pageNames.map((name) => [name, [] as PageFigures[]])) as Times;

async function measureRound(browser: OpenBrowser, subject: Subject, times: Times): Promise<void> {
  const paths = pathsFor(subject.taskId);
  for (const name of pageNames) {
    times[name].push(await openPage(browser, `${subject.origin}/console${paths[name]}`));
  }
}

function mediansOf(times: Times): OfPages {
  const medianOf = (name: PageName, figure: keyof PageFigures) =>
    median(times[name].map((one) => one[figure]));
  const entries = pageNames.map((name) => [
    name,
    {
      paintMs: medianOf(name, "paintMs"),
      interactiveMs: medianOf(name, "interactiveMs"),
      blockedMs: medianOf(name, "blockedMs"),
      requests: medianOf(name, "requests"),
    },
  ]);
  return Object.fromEntries(entries) as OfPages;
}
