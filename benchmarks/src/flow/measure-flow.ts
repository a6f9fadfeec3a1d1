import { join } from "node:path";
import type { WorkflowDefinition } from "@holdfast/domain";
import { rounded } from "@holdfast/load";
import { createDatabase, holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import { migrate, openStateStore } from "@holdfast/state-store";
import type { BenchOptions } from "../options.ts";
import { type Holdfast, startHoldfast } from "../start-holdfast.ts";
import { slowStep, threeSteps } from "../workflow.ts";
import { measureOthers, type Others } from "./measure-others.ts";
import { measureShares, type Shares } from "./measure-shares.ts";
import { measureSick, type Sick } from "./measure-sick.ts";
import { measureSlots, type Slots } from "./measure-slots.ts";
import { measureUrgent, type Urgent } from "./measure-urgent.ts";

export type FlowResult = Urgent & Shares & InstancesResult;

type InstancesResult = Slots & Others & Sick;

/** Measures whether work is claimed in the order that its priority and its fairness key ask for. */
export async function measureFlow(
  { orders, pending, keys, claims, seconds, without }: BenchOptions,
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

  const servers = { serverUrl: stack.postgres.url, brokerUrl: stack.broker.url, without };
  const instances = await measureInstances(servers, seconds, say);

  say(`urgent tasks behind ${pending} normal ones …`);
  const database = owner.use(await createDatabase(stack.postgres.url));
  const holdfast = await startHoldfast(owner, {
    databaseUrl: database.url,
    brokerUrl: stack.broker.url,
    without,
  });
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
    ...instances,
  };
}

/** How instances of different size are used, and what one that is down or sick takes from others. */
async function measureInstances(
  servers: Omit<Servers, "workflow">,
  seconds: number,
  say: (line: string) => void,
): Promise<InstancesResult> {
  const { brokerUrl } = servers;
  const slots = await withHoldfast({ ...servers, workflow: slowStep.definition }, (holdfast) =>
    measureSlots(holdfast, { brokerUrl, seconds: Math.min(seconds, 10) }),
  );
  say(`slots of 5, 20 and 75: ${percents(Object.values(slots.busy)).join(", ")} busy`);
  const others = await withHoldfast({ ...servers, workflow: threeSteps.definition }, (holdfast) =>
    measureOthers(holdfast, { brokerUrl, seconds }),
  );
  say(
    `p99 of others: ${others.othersP99BeforeMs.toFixed(1)} ms, with one Agent down ${others.othersP99Ms.toFixed(1)} ms`,
  );
  const sick = await withHoldfast(
    { ...servers, workflow: slowStep.definition },
    (holdfast, databaseUrl) => measureSick(holdfast, { brokerUrl, databaseUrl }),
  );
  say(
    `${sick.wellPerSecond.toFixed()} tasks/s, with a sick instance ${sick.sickPerSecond.toFixed()}; ${sick.probes} probes, ${sick.falseFailures} false failures`,
  );
  return {
    slotsBusyMin: rounded(slots.slotsBusyMin, 3),
    busy: slots.busy,
    othersP99Ratio: rounded(others.othersP99Ratio, 2),
    othersP99BeforeMs: rounded(others.othersP99BeforeMs, 1),
    othersP99Ms: rounded(others.othersP99Ms, 1),
    ...sick,
    wellPerSecond: rounded(sick.wellPerSecond, 0),
    sickPerSecond: rounded(sick.sickPerSecond, 0),
    sickThroughput: rounded(sick.sickThroughput, 3),
  };
}

const percents = (parts: readonly number[]): readonly string[] =>
  parts.map((part) => `${(part * 100).toFixed(1)} %`);

interface Servers {
  readonly serverUrl: string;
  readonly brokerUrl: string;
  readonly without: readonly string[];
  readonly workflow: WorkflowDefinition;
}

/** Measures with a Scheduler and a database of one's own; the Agents run in this process. */
async function withHoldfast<Result>(
  { serverUrl, ...servers }: Servers,
  measure: (holdfast: Holdfast, databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  await using owner = new AsyncDisposableStack();
  const database = owner.use(await createDatabase(serverUrl));
  const agents = { count: 0 };
  return await measure(
    await startHoldfast(owner, { ...servers, databaseUrl: database.url, agents }),
    database.url,
  );
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
