import { join } from "node:path";
import { rounded } from "@holdfast/load";
import {
  createDatabase,
  holdfastFolder,
  type LocalStack,
  startLocalStack,
} from "@holdfast/local-stack";
import { migrate, openStateStore } from "@holdfast/state-store";
import type { BenchOptions } from "../options.ts";
import { startHoldfast } from "../start-holdfast.ts";
import { slowStep, threeSteps } from "../workflow.ts";
import { measureShares, type Shares } from "./measure-shares.ts";
import { measureSick, type Sick } from "./measure-sick.ts";
import { measureUrgent, type Urgent } from "./measure-urgent.ts";

export type FlowResult = Urgent & Shares & Sick;

/** Measures whether work is claimed in the order that its priority and its fairness key ask for. */
export async function measureFlow(
  { orders, pending, keys, claims, without }: BenchOptions,
  say: (line: string) => void,
): Promise<FlowResult> {
  await using owner = new AsyncDisposableStack();
  const dataFolder = join(holdfastFolder(), "bench");
  const stack = owner.use(
    await startLocalStack({ purpose: "demo", dataFolder, fresh: true, log: say }),
  );
  say(`shares: ${keys} keys, ${claims} claims …`);
  const shares = await sharesOf(stack.postgres.url, { keys, claims });
  say(`the worst share is off by ${(shares.shareErrorMax * 100).toFixed(1)} %`);
  say(
    `a new key was served after ${shares.newKeyMs.toFixed(1)} ms, ${shares.newKeyRounds.toFixed(2)} rounds`,
  );

  say("three instances, one of which becomes sick …");
  const sick = await sickOf(stack, without);
  say(
    `${sick.wellPerSecond.toFixed()} tasks/s, with a sick instance ${sick.sickPerSecond.toFixed()}; ${sick.probes} probes, ${sick.falseFailures} false failures`,
  );

  say(`urgent tasks behind ${pending} normal ones …`);
  const database = owner.use(await createDatabase(stack.postgres.url));
  const servers = { databaseUrl: database.url, brokerUrl: stack.broker.url, without };
  const holdfast = await startHoldfast(owner, servers);
  const urgent = await measureUrgent(holdfast, { orders, pending });
  say(
    `urgent p99: idle ${urgent.idleP99Ms.toFixed(1)} ms, behind the backlog ${urgent.urgentP99Ms.toFixed(1)} ms`,
  );
  return {
    urgentP99Ratio: rounded(urgent.urgentP99Ratio, 2),
    idleP99Ms: rounded(urgent.idleP99Ms, 1),
    urgentP99Ms: rounded(urgent.urgentP99Ms, 1),
    shareErrorMax: rounded(shares.shareErrorMax, 4),
    newKeyMs: rounded(shares.newKeyMs, 1),
    newKeyRounds: rounded(shares.newKeyRounds, 2),
    ...sick,
    wellPerSecond: rounded(sick.wellPerSecond, 0),
    sickPerSecond: rounded(sick.sickPerSecond, 0),
    sickThroughput: rounded(sick.sickThroughput, 3),
  };
}

async function sickOf(
  { postgres, broker }: Pick<LocalStack, "postgres" | "broker">,
  without: readonly string[],
): Promise<Sick> {
  await using owner = new AsyncDisposableStack();
  const database = owner.use(await createDatabase(postgres.url));
  const servers = { databaseUrl: database.url, brokerUrl: broker.url };
  const holdfast = await startHoldfast(owner, {
    ...servers,
    workflow: slowStep.definition,
    agents: { count: 0 },
    without,
  });
  return await measureSick(holdfast, servers);
}

async function sharesOf(
  serverUrl: string,
  sizes: { readonly keys: number; readonly claims: number },
): Promise<Shares> {
  await using database = await createDatabase(serverUrl);
  await migrate(database.url);
  const options = { url: database.url, applicationName: "bench", maxConnections: 1 };
  await using store = await openStateStore(options);
  await store.registerWorkflow(threeSteps.definition);
  return await measureShares({ databaseUrl: database.url, ...sizes });
}
