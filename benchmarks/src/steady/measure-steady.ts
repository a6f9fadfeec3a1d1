import { mkdir, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { rounded } from "@holdfast/load";
import { createDatabase, holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import type { BenchOptions } from "../options.ts";
import { settingOf } from "../setting.ts";
import { countPast, fillPast } from "./fill-past.ts";
import { judge } from "./judge.ts";
import { measureHighest } from "./measure-highest.ts";
import { report, type SteadyResult } from "./report.ts";
import { startServices, startSupervisor } from "./start-services.ts";
import { submitSteadily } from "./submit-steadily.ts";
import { watchSteadily } from "./watch-steadily.ts";

type Say = (line: string) => void;

/**
 * Measures whether anything grows at a steady load, while as much of the past is deleted as comes
 * in; writes down what came out, and resolves to the sum of it.
 */
export async function measureSteady(
  options: BenchOptions,
  say: Say,
): Promise<Readonly<Record<string, number>>> {
  const loadBefore = rounded(loadavg()[0] ?? 0, 1);
  await using owner = new AsyncDisposableStack();
  const dataFolder = join(holdfastFolder(), "bench-steady");
  const stack = owner.use(
    await startLocalStack({ purpose: "demo", dataFolder, fresh: true, log: say }),
  );
  const { url } = owner.use(await createDatabase(stack.postgres.url));
  const servers = { url, brokerUrl: stack.broker.url, without: options.without };
  const { system, ...started } = await startServices(owner, servers);

  const highest = await measureHighest(url, system.submissionUrl, options);
  const rate = Math.round(highest * options.load);
  say(`${highest} orders/s at most; ${rate} come in from now on`);
  const past = rate * options.minutes * 60;
  await fillPast(url, { orders: past, minutes: options.minutes });
  say(`filled: ${past} orders of long ago`);
  const pids = { ...started.pids, Supervisor: (await startSupervisor(system)).pid };
  using load = submitSteadily(system.submissionUrl, rate);
  const { broker } = stack;
  const watched = { url, broker, dataFolder, pids, load };
  const samples = await watchSteadily(watched, { minutes: options.minutes, say });

  const result: SteadyResult = {
    ...(await settingOf(stack.postgres.url)),
    loadBefore,
    highest,
    rate,
    minutes: options.minutes,
    past,
    deleted: past - (await countPast(url)),
    refused: load.refused,
    ...judge(samples),
    samples,
  };
  await writeDown(result, options.folder);
  say(report(result));
  return summaryOf(result);
}

async function writeDown(result: SteadyResult, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await write("performance-steady.json", `${JSON.stringify(result, null, 2)}\n`);
  await write("performance-steady.md", report(result));
}

const summaryOf = ({ highest, rate, refused, deleted, samples, verdicts }: SteadyResult) => ({
  highest,
  rate,
  done: samples.at(-1)?.done ?? 0,
  refused,
  deleted,
  growing: verdicts.filter(({ grows }) => grows).length,
});
