import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { agentQueue } from "@holdfast/contracts";
import { askBroker, queryOnce, startProcess } from "@holdfast/local-stack";
import { type System, startSystem } from "@holdfast/processes";
import { migratedDatabase } from "@holdfast/test-servers";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type AgentBroker, openAgentBroker } from "./agent-broker.ts";
import { python, whyNotRun } from "./programs.ts";
import { allHold, runConformance } from "./run-conformance.ts";
import { welcome } from "./welcome.ts";

const why = await whyNotRun();
const describeHere = why === null ? describe : describe.skip;
const because = why === null ? "" : ` (skipped: ${why})`;
const pathOf = (name: string) =>
  fileURLToPath(new URL(`../../examples/languages/${name}`, import.meta.url));
const programs = {
  badges: [python, pathOf("python/badges_agent.py")],
  doorbell: ["/bin/bash", pathOf("bash/doorbell_agent.sh")],
} as const;

let folder: string;
let broker: AgentBroker;
let started: AsyncDisposableStack;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-languages-"));
  started = new AsyncDisposableStack();
  broker = started.use(await openAgentBroker(["badges", "doorbell"]));
});
afterEach(async () => {
  await started.disposeAsync();
  await rm(folder, { recursive: true, force: true });
});

/** Starts one of the Agents, which trusts these users. */
function startAgent(agent: keyof typeof programs, schedulers: readonly string[]) {
  const env = {
    PATH: "/usr/bin:/bin",
    BROKER_URL: broker.urlOf(agent),
    SCHEDULER_USERS: schedulers.join(","),
    BADGES: folder,
    RINGS: folder,
  };
  const child = startProcess(agent, programs[agent], { folder: tmpdir(), env });
  started.defer(() => child.stop("SIGTERM", 10_000));
  return child;
}

/** Waits until the Agent consumes. */
const untilThere = (agent: string): Promise<void> =>
  until(() =>
    askBroker(broker.url, async (channel) => {
      return (await channel.checkQueue(agentQueue(agent))).consumerCount > 0;
    }).catch(() => false),
  );

describeHere(`Agents in other languages${because}`, () => {
  test("the Agent in Python conforms", async () => {
    const agent = startAgent("badges", [broker.tester.name]);
    await untilThere("badges");
    const cases = [
      "--agent=badges",
      `--cases=${pathOf("python/cases.json")}`,
      `--pid=${agent.pid}`,
      `--management-url=${broker.managementUrl}`,
    ];
    const { states, texts, exitCode } = await runConformance(broker, cases);
    expect({ states, texts }).toEqual({ states: allHold, texts });
    expect(exitCode).toBe(0);
  });

  test("the Agent in bash conforms, but for the user id that amqp-publish cannot set", async () => {
    const agent = startAgent("doorbell", []);
    await untilThere("doorbell");
    const cases = [
      "--agent=doorbell",
      `--cases=${pathOf("bash/cases.json")}`,
      `--pid=${agent.pid}`,
      `--management-url=${broker.managementUrl}`,
    ];
    const { states, texts, exitCode } = await runConformance(broker, [
      ...cases,
      "--reply-identity=trusted",
    ]);
    // Its messages name no user whose connection could be cut.
    expect({ states, texts }).toEqual({ states: { ...allHold, redelivery: "skipped" }, texts });
    expect(exitCode).toBe(0);
  });

  test("a workflow calls both, survives the kill of one in mid-step, and is undone by both", async () => {
    await using database = await migratedDatabase();
    await using system = await startSystem({
      stateStoreUrl: database.url,
      broker: { ...broker, moreAgents: ["badges", "doorbell"] },
      count: { agent: 0, partners: 0 },
      workflows: [welcome.definition],
      env: {
        submission: { DEFAULT_WORKFLOW: "welcome" },
        // amqp-publish sets no user id.
        scheduler: { REPLY_IDENTITY: "trusted", POLL_INTERVAL: "200ms" },
        supervisor: { RECOVERY_DELAY: "200ms" },
      },
    });
    const schedulers = [system.broker.userOf("scheduler")];
    const first = startAgent("badges", schedulers);
    startAgent("doorbell", schedulers);
    const ids = await Promise.all([
      submit(system, { guest: "Ada", seconds: 2 }),
      submit(system, { guest: "power cut", seconds: 0 }),
    ]);
    const begun = "select from state.steps where name = 'badge' and confirmed_at is not null";
    await until(async () => (await queryOnce(database.url, begun)).length > 0);
    await first.stop("SIGKILL", 1_000);
    startAgent("badges", schedulers);

    const ended = async (id: string) => {
      const answer = await fetch(`${system.submissionUrl}/v1/tasks/${id}`);
      const { state } = (await answer.json()) as { readonly state: string };
      return state;
    };
    const states = async () => Promise.all(ids.map(ended));
    await until(async () => (await states()).every((state) => /processed|undone/.test(state)));
    expect(await states()).toEqual(["processed", "undone"]);
    expect(await contents(folder)).toEqual({
      [`${ids[0]}:badge:do`]: "Ada",
      [`${ids[0]}:bell:do`]: "Ada",
      [`${ids[1]}:badge:do`]: "power cutshredded",
      // It may have rung, so it is taken back.
      [`${ids[1]}:bell:do`]: "silenced",
    });
  });
});

async function contents(of: string): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(of);
  const pairs = names.map(async (name) => [
    decodeURIComponent(name),
    await readFile(join(of, name), "utf8"),
  ]);
  return Object.fromEntries((await Promise.all(pairs)) as [string, string][]);
}

async function submit(system: System, input: object): Promise<string> {
  const response = await fetch(`${system.submissionUrl}/v1/tasks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ workflow: "welcome", input }),
  });
  const text = await response.text();
  if (response.status !== 202) throw new Error(text);
  return (JSON.parse(text) as { readonly id: string }).id;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(100);
}
