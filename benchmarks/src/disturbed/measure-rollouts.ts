import { setTimeout as sleep } from "node:timers/promises";
import { queryOnce } from "@holdfast/local-stack";
import { operatorToken, type System } from "@holdfast/processes";
import type { BenchOptions } from "../options.ts";
import { newOrder } from "../order.ts";
import { type Fleet, type FleetMember, keepKilling } from "./keep-killing.ts";
import { type Became, becameOf, ordersMeanwhile, type Taken, wordsOf } from "./orders-meanwhile.ts";
import { firstVersion, secondVersion } from "./rolled-workflow.ts";
import { startDisturbed } from "./start-disturbed.ts";

export interface RolloutsResult extends Became {
  /** Processes that were killed meanwhile. */
  readonly kills: number;
  /** Requests that instances gave back because they could not read them. */
  readonly givenBack: number;
}

/** Milliseconds for which releases and versions are mixed before the next act. */
const mixed = 4_000;

/**
 * Measures what roll-outs do to orders that are well: Agents and workflows are rolled forward and
 * back, in both orders, and mixed for some seconds, under orders that name no version, while one
 * process after another is killed. Each step has one failure, so one that is counted undoes its
 * order.
 */
export async function measureRollouts(
  { orders, without, kills: every }: BenchOptions,
  say: (line: string) => void,
): Promise<RolloutsResult> {
  await using owner = new AsyncDisposableStack();
  const { holdfast, ...stores } = await startDisturbed(owner, {
    workflow: firstVersion.definition,
    agents: 0,
    submissions: 2,
    without,
    say,
  });
  const { system, store } = holdfast;
  const fleet = owner.use(keepKilling(system, { every }));
  const agents = agentsIn(fleet);
  await agents.start("first");
  const met = await ordersMeanwhile(holdfast, {
    goesOn: (submitted, isOver) => !isOver || submitted < orders,
    submit: () => submitByName(system),
    act: () => rollAll({ agents, ask: operatorOf(system), say }),
  });
  const became = await becameOf({ ...stores, steps: 3 }, met);
  const [violation] = await store.findInvariantViolations({ batch: 1 });
  if (violation !== undefined) throw new Error(`Broken invariant: ${violation.invariant}`);
  const givenBack = await countGivenBack(stores.databaseUrl);
  say(wordsOf(became));
  return { ...became, kills: fleet.kills, givenBack };
}

async function countGivenBack(databaseUrl: string): Promise<number> {
  const [row] = await queryOnce<{ n: number }>(
    databaseUrl,
    "select count(*)::int as n from state.events where reason = 'step.request_unreadable'",
  );
  return row?.n ?? 0;
}

type Release = "first" | "second";

interface Agents {
  /** Starts two instances of a release. */
  start(release: Release): Promise<void>;
  /** Ends all instances of a release. */
  stop(release: Release): Promise<void>;
}

function agentsIn(fleet: Fleet): Agents {
  const running: Record<Release, FleetMember[]> = { first: [], second: [] };
  return {
    async start(release) {
      const started = [1, 2].map(() => fleet.add("agent", { RELEASE: release }));
      running[release].push(...(await Promise.all(started)));
    },
    async stop(release) {
      const leaving = running[release].splice(0);
      await Promise.all(leaving.map((one) => one.stop()));
    },
  };
}

type Ask = (method: "PUT" | "POST", path: string, body: object) => Promise<void>;

interface Rolling {
  readonly agents: Agents;
  readonly ask: Ask;
  readonly say: (line: string) => void;
}

/** Each way in which Agents and a workflow are released and taken back. */
async function rollAll({ agents, ask, say }: Rolling): Promise<void> {
  const acts: readonly (readonly [string, () => Promise<void>])[] = [
    ["forward, the Agents first", () => agents.start("second")],
    ["the old Agents end", () => agents.stop("first")],
    [
      "the second version is stored",
      () => ask("PUT", secondVersion.name, secondVersion.definition),
    ],
    ["back, the workflow first", () => activate(ask, firstVersion.name)],
    ["the second version is retired", () => act(ask, secondVersion.name, "retire")],
    ["the old Agents come back", () => agents.start("first")],
    ["the new Agents end", () => agents.stop("second")],
    ["forward, the workflow first", () => act(ask, secondVersion.name, "reinstate")],
    ["it is active without its Agents", () => activate(ask, secondVersion.name)],
    ["the new Agents come", () => agents.start("second")],
    ["the old Agents end again", () => agents.stop("first")],
    ["back, the Agents first", () => agents.start("first")],
    ["the new Agents end again", () => agents.stop("second")],
    ["the first version is active", () => activate(ask, firstVersion.name)],
    ["the second version is retired again", () => act(ask, secondVersion.name, "retire")],
    ["its last orders get their Agents", () => agents.start("second")],
    ["the old Agents end for good", () => agents.stop("first")],
  ];
  for (const [what, happen] of acts) {
    say(what);
    await happen();
    await sleep(mixed);
  }
}

const act = (ask: Ask, name: string, what: string): Promise<void> =>
  ask("POST", `${name}/${what}`, { actor: "bench", reason: "a roll-out" });

const activate = (ask: Ask, name: string): Promise<void> =>
  act(ask, name, "activate?allowUnknownAgents=true");

/** Acts as an operator, at a process that runs, and again while none answers. */
function operatorOf(system: System): Ask {
  return async (method, path, body) => {
    for (;;) {
      const answer = await answerOf(() => `${system.operationsUrl}/v1/workflows/${path}`, {
        method,
        headers: { ...json, authorization: `Bearer ${operatorToken}` },
        body: JSON.stringify(body),
      });
      if (answer !== null && answer.status < 300) return;
      if (answer !== null && answer.status < 500) throw new Error(`${path}: ${answer.text}`);
      await sleep(100);
    }
  };
}

/**
 * Submits an order by the name without a version, and again under the same key until it is
 * answered.
 */
async function submitByName(system: System): Promise<Taken | null> {
  const order = newOrder();
  const workflow = firstVersion.name.replace(/\.v1$/, "");
  const request = {
    method: "POST",
    headers: { ...json, "idempotency-key": order.id },
    body: JSON.stringify({ workflow, input: order }),
  };
  for (;;) {
    const answer = await answerOf(() => `${system.submissionUrl}/v1/tasks`, request);
    if (answer !== null && answer.status < 300) {
      return { taskId: (JSON.parse(answer.text) as { readonly id: string }).id, id: order.id };
    }
    if (answer !== null && answer.status < 500 && answer.status !== 429) return null;
    await sleep(100);
  }
}

const json = { "content-type": "application/json" };
/** Milliseconds. */
const answerWithin = 5_000;

/** The answer; null: none came, such as while the process was killed. */
async function answerOf(
  urlOf: () => string,
  request: RequestInit,
): Promise<{ readonly status: number; readonly text: string } | null> {
  try {
    const signal = AbortSignal.timeout(answerWithin);
    const response = await fetch(urlOf(), { ...request, signal });
    return { status: response.status, text: await response.text() };
  } catch {
    return null;
  }
}
