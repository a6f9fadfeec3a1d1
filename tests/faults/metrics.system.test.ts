import { replyExchange } from "@holdfast/contracts";
import { freePort } from "@holdfast/local-stack";
import {
  documentedMetrics,
  type ExposedMetric,
  expressions,
  parseExposition,
  promqlFacts,
  type RunningPrometheus,
  startPrometheus,
  whyNoPrometheus,
} from "@holdfast/observability";
import { operatorToken, type ServiceName } from "@holdfast/processes";
import { expect, test } from "@jest/globals";
import {
  allRight,
  type FaultySystem,
  startFaultySystem,
  takeRequests,
  until,
} from "./faulty-system.ts";
import { publish } from "./publish.ts";

const scraped = ["submission", "operations", "scheduler", "supervisor", "agent"] as const;
type Scraped = (typeof scraped)[number];

/** A port for the metrics of each service. */
async function healthPorts(): Promise<Readonly<Record<Scraped, number>>> {
  let base = 21_000 + (process.pid % 1_000) * 20;
  const ports: [Scraped, number][] = [];
  for (const name of scraped) {
    const port = await freePort(base);
    ports.push([name, port]);
    base = port + 1;
  }
  return Object.fromEntries(ports) as Record<Scraped, number>;
}

async function scrape(port: number): Promise<ReadonlyMap<string, ExposedMetric>> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(answer.status).toBe(200);
  return parseExposition(await answer.text());
}

const valueOf = (metrics: ReadonlyMap<string, ExposedMetric>, name: string, label = "") =>
  (metrics.get(name)?.samples ?? [])
    .filter((line) => line.includes(label))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);

/**
 * Orders that end in each way, an Agent that is silent, none at all, and messages that no service
 * can use.
 */
async function runWithFaults(faulty: FaultySystem): Promise<void> {
  const { system } = faulty;
  const [first] = await faulty.submit(["good", "declined", "flaky"]);
  const ordered = await faulty.order("good", 1);
  await faulty.verdict([first, ordered]);

  for (const agent of system.running("agent")) agent.signal("SIGKILL");
  await until(() => system.running("agent").length === 0);
  const unserved = await faulty.submit(["good"]);
  await faulty.said("request dead-lettered", "scheduler");
  {
    await using _silent = await takeRequests(faulty, ["inventory"]);
    await faulty.said("step expired", "supervisor");
  }
  await system.start("agent");
  expect(await faulty.verdict(unserved)).toEqual(allRight({ processed: 1, undone: 0 }));

  for (const body of ["no json", JSON.stringify(lateReply(first))]) {
    await publish(faulty, { exchange: replyExchange, routingKey: "reply.forger.x", body });
  }
  await faulty.said("dead letters stored", "scheduler");
  await faulty.said("reply rejected", "scheduler");
  const opened = await fetch(`${await faulty.operationsUrl()}/v1/remotes/payments/hold`, {
    method: "POST",
    headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
    body: JSON.stringify({ actor: "ann", reason: "planned work" }),
  });
  expect(opened.ok).toBe(true);
}

const lateReply = (taskId: string) => ({
  taskId,
  step: "reserve",
  attempt: 1,
  token: crypto.randomUUID(),
  outcome: { kind: "completed", output: null },
});

const why = await whyNoPrometheus();
if (why !== null) process.stderr.write(`No Prometheus evaluates boards and rules: ${why}.\n`);

/** Milliseconds: a rate needs two scrapes. */
const timeout = 15_000;

/**
 * Asks again until each expression of the boards returns series; those that still do not are the
 * answer.
 */
async function expressionsWithoutSeries(prometheus: RunningPrometheus) {
  const deadline = performance.now() + timeout;
  let left = expressions().filter(({ runbook }) => runbook === null);
  await until(async () => {
    const counts = await Promise.all(left.map(({ text }) => prometheus.countSeries(text)));
    left = left.filter(
      ({ text }, index) =>
        counts[index] === 0 && !mayHaveNone.some((metric) => text.includes(metric)),
    );
    return left.length === 0 || performance.now() > deadline;
  }, 200);
  return left.map(({ at, text }) => `${at}: ${text}`);
}

interface EvaluatedRules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly name: string;
      readonly health: string;
      readonly state: string;
    }[];
  }[];
}

/** Alerts that the faults of this run are for, and that wait for no time to pass. */
async function expectAlerts(prometheus: RunningPrometheus): Promise<void> {
  const evaluated = async () =>
    ((await prometheus.ask("rules")) as EvaluatedRules).groups.flatMap((group) => group.rules);
  const deadline = performance.now() + timeout;
  let stateOf = new Map<string, string>();
  // What follows from Postgres is some seconds old.
  await until(async () => {
    const rules = await evaluated();
    expect(rules.filter(({ health }) => health !== "ok")).toEqual([]);
    stateOf = new Map(rules.map(({ name, state }) => [name, state]));
    return stateOf.get("HoldfastBreakerOpen") !== "inactive" || performance.now() > deadline;
  }, 200);
  expect(stateOf.get("HoldfastDeadLetters")).toBe("firing");
  expect(stateOf.get("HoldfastBreakerOpen")).not.toBe("inactive");
  expect(stateOf.get("HoldfastNoScheduler")).toBe("inactive");
  expect(stateOf.get("HoldfastTasksHalted")).toBe("inactive");
}

/** No sample is due to a run in which nothing goes wrong by itself. */
const mayHaveNone = [
  "holdfast_connection_attempts_total",
  "holdfast_publishers_blocked_total",
  "holdfast_round_failures_total",
  "holdfast_schedule_fires_total",
  "holdfast_store_failed_statements_total",
];

test("after orders with faults, all metrics of the boards and rules are exposed with values, and all that is exposed is documented", async () => {
  const ports = await healthPorts();
  const at = (name: Scraped) => ({ HEALTH_PORT: String(ports[name]), HEALTH_HOST: "127.0.0.1" });
  const env: Partial<Record<ServiceName, Readonly<Record<string, string>>>> = Object.fromEntries(
    scraped.map((name) => [name, at(name)]),
  );
  await using faulty = await startFaultySystem({ apart: ["agent"], forging: true, env });
  await using prometheus =
    why === null
      ? await startPrometheus({ ports: Object.values(ports), from: ports.agent + 1 })
      : null;
  await runWithFaults(faulty);

  if (prometheus !== null) {
    expect(await expressionsWithoutSeries(prometheus)).toEqual([]);
    await expectAlerts(prometheus);
  }

  const documented = documentedMetrics();
  const exposed = new Map<string, ExposedMetric>();
  for (const name of scraped) {
    for (const [metric, { kind, samples }] of await scrape(ports[name])) {
      expect([name, metric, documented.get(metric)?.kind]).toEqual([name, metric, kind]);
      exposed.set(metric, {
        kind,
        samples: [...(exposed.get(metric)?.samples ?? []), ...samples],
      });
    }
  }
  expect([...documented.keys()].filter((metric) => !exposed.has(metric))).toEqual([]);

  const used = new Set(expressions().flatMap(({ text }) => promqlFacts(text).metrics));
  const valueless = [...used]
    .filter((metric) => metric !== "up")
    .map((metric) => (exposed.has(metric) ? metric : metric.replace(/_(bucket|sum|count)$/, "")))
    .filter((metric) => (exposed.get(metric)?.samples.length ?? 0) === 0);
  expect(valueless.filter((metric) => !mayHaveNone.includes(metric))).toEqual([]);

  expect(valueOf(exposed, "holdfast_tasks_submitted_total")).toBe(1);
  expect(valueOf(exposed, "holdfast_undos_started_total")).toBe(1);
  expect(valueOf(exposed, "holdfast_tasks_ended_total", 'state="undone"')).toBe(1);
  expect(valueOf(exposed, "holdfast_tasks_ended_total", 'state="processed"')).toBe(4);
  expect(valueOf(exposed, "holdfast_rejected_replies_total", 'reason="unreadable"')).toBe(1);
  expect(valueOf(exposed, "holdfast_dead_letters")).toBe(1);
  expect(valueOf(exposed, "holdfast_breaker_state", 'remote_service="payments"')).toBe(2);
  expect(valueOf(exposed, "holdfast_supervisor_recoveries_total")).toBeGreaterThan(0);
  expect(valueOf(exposed, "holdfast_steps_claimed_total", 'agent="inventory"')).toBeGreaterThan(3);
  expect([...exposed.values()].flatMap(({ samples }) => samples).join("\n")).not.toContain(
    "forger",
  );
});
