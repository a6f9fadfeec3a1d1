import { laneLimit } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import type { IScaledObject } from "@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject";
import {
  answerOf,
  horizontalAutoscaler,
  type Series,
  syncPeriod,
  type Trigger,
} from "./autoscaler.ts";
import { describeChart, rendered } from "./example-chart.ts";
import { ofKind } from "./manifest.ts";
import { readFile } from "./repository.ts";

/** The Agent of the test: slow, with few slots, as those are that need more pods. */
const agent = { name: "hotels", slots: 10, seconds: 5 };
const bounds = { min: 2, max: 20 };
const backlog = 5_000;
/** Seconds until a new pod consumes. */
const startUp = 20;
/** Seconds between two scrapes of Prometheus. */
const scrape = 15;
/** The number at which counting of due steps ends: see find-fleet-facts.sql. */
const countedDue = 300;
const schedulers = { maxInFlight: 200, schedulers: 2 };

/** The trigger of the chart for that Agent. */
function triggerOf(): Trigger {
  const line = JSON.stringify({ ...bounds, name: agent.name, slots: agent.slots });
  const objects = rendered([
    "--set-json",
    `agents=[${line}]`,
    "--set",
    "keda.enabled=true,keda.serverAddress=http://prometheus:9090",
  ]);
  const [scaled] = ofKind(objects, "ScaledObject") as readonly IScaledObject[];
  expect(scaled?.spec).toMatchObject({
    minReplicaCount: bounds.min,
    maxReplicaCount: bounds.max,
  });
  return scaled?.spec.triggers[0]?.metadata as unknown as Trigger;
}

interface Pod {
  readonly from: number;
  /** When each step that it performs will be done. */
  readonly busy: readonly number[];
}

interface Moment {
  readonly due: number;
  /** Steps in the queue of the Agent. */
  readonly queued: number;
  readonly pods: readonly Pod[];
  readonly done: number;
  /** Steps that a pod gave back because it had to end. */
  readonly returned: number;
}

const busyOf = ({ pods }: Pick<Moment, "pods">): number =>
  pods.reduce((total, { busy }) => total + busy.length, 0);

/**
 * A second of work: steps end, the Schedulers claim as many as they may, and free slots take from
 * the queue.
 */
function work(moment: Moment, now: number): Moment {
  const ended = moment.pods.map(({ from, busy }) => ({
    from,
    busy: busy.filter((at) => at > now),
  }));
  const done = moment.done + busyOf(moment) - busyOf({ pods: ended });
  const consumers = ended.filter(({ from }) => from <= now).length;
  const advertised = Array.from({ length: consumers }, () => agent.slots);
  const { all } = laneLimit({ ...schedulers, consumers, advertised });
  const claimed = Math.min(moment.due, Math.max(0, all - moment.queued - busyOf({ pods: ended })));
  let queued = moment.queued + claimed;
  const pods = ended.map(({ from, busy }) => {
    const taken = from > now ? 0 : Math.min(queued, agent.slots - busy.length);
    queued -= taken;
    return { from, busy: [...busy, ...Array.from({ length: taken }, () => now + agent.seconds)] };
  });
  return { ...moment, due: moment.due - claimed, queued, pods, done };
}

/** Makes as many pods as asked for: the newest end first, at once, and give back what they have. */
function scale(moment: Moment, wanted: number, now: number): Moment {
  const kept = moment.pods.slice(0, wanted);
  const given = busyOf({ pods: moment.pods.slice(wanted) });
  const added = Array.from({ length: Math.max(0, wanted - kept.length) }, () => ({
    from: now + startUp,
    busy: [],
  }));
  return {
    ...moment,
    pods: [...kept, ...added],
    queued: moment.queued + given,
    returned: moment.returned + given,
  };
}

const exposed = (moment: Moment): Series => ({
  holdfast_due_steps: { [agent.name]: Math.min(countedDue, moment.due) },
  holdfast_agent_in_flight_steps: { [agent.name]: moment.queued + busyOf(moment) },
});

interface Run {
  readonly pods: readonly number[];
  readonly last: Moment;
  /** The second at which the last step was done. */
  readonly drainedAt: number;
}

/**
 * Twenty minutes of a backlog that comes at once. `signal` gives the figure that the autoscaler
 * reads at a moment.
 */
function run(signal: (series: Series) => number, threshold: number): Run {
  const autoscale = horizontalAutoscaler(bounds);
  const first = { due: backlog, queued: 0, done: 0, returned: 0, pods: [] };
  let moment: Moment = scale(first, bounds.min, -startUp);
  let series = exposed(moment);
  let drainedAt = Number.POSITIVE_INFINITY;
  const pods: number[] = [bounds.min];
  for (let now = 0; now < 1_200; now += 1) {
    moment = work(moment, now);
    expect(moment.due + moment.queued + busyOf(moment) + moment.done).toBe(backlog);
    if (moment.done === backlog) drainedAt = Math.min(drainedAt, now);
    if (now % scrape === 0) series = exposed(moment);
    if (now % syncPeriod === 0) {
      const metric = signal(series);
      moment = scale(moment, autoscale(now, moment.pods.length, { metric, threshold }), now);
    }
    pods.push(moment.pods.length);
  }
  return { pods, last: moment, drainedAt };
}

/** Each number of pods, once for each time that it was reached. */
const steps = (pods: readonly number[]): readonly number[] =>
  pods.filter((count, index) => count !== pods[index - 1]);

describeChart("an Agent that KEDA scales", () => {
  test("with a backlog it goes from 2 pods to 20, back to 2 once it is done, and loses no step", () => {
    const { query, threshold } = triggerOf();
    const { pods, last, drainedAt } = run(
      (series) => answerOf(query, series) ?? Number.NaN,
      Number(threshold),
    );
    expect(steps(pods)[0]).toBe(2);
    expect(Math.max(...pods)).toBe(20);
    expect(pods.at(-1)).toBe(2);
    expect(last).toMatchObject({ done: backlog, due: 0, queued: 0 });
    // With 20 pods from the first second it would be 125 s, and with 2 pods 1,250 s.
    expect(drainedAt).toBeLessThan(250);
  });

  test("by the length of its queue it would stay at 2 pods, whatever waits: Schedulers keep the queue short", () => {
    const { pods, last } = run(
      (series) => series["holdfast_agent_in_flight_steps"]?.[agent.name] ?? 0,
      40,
    );
    expect(new Set(pods)).toEqual(new Set([2]));
    expect(last.due).toBeGreaterThan(0);
  });

  test("with what its pods can just do it has as many as that takes, and no more", () => {
    const { query, threshold } = triggerOf();
    const autoscale = horizontalAutoscaler(bounds);
    let pods = bounds.min;
    for (let now = 0; now < 600; now += syncPeriod) {
      // 60 slots are busy, and nothing waits.
      const series = {
        holdfast_due_steps: { [agent.name]: 0 },
        holdfast_agent_in_flight_steps: { [agent.name]: 60 },
      };
      const metric = answerOf(query, series) ?? Number.NaN;
      pods = autoscale(now, pods, { metric, threshold: Number(threshold) });
    }
    expect(pods).toBe(8);
  });

  test("a query without its series has no answer, so that KEDA takes the number for outages", () => {
    const { query } = triggerOf();
    expect(answerOf(query, { holdfast_agent_in_flight_steps: { hotels: 3 } })).toBeNull();
    expect(answerOf(query, { holdfast_due_steps: { flights: 3 } })).toBeNull();
  });

  test("an Agent of a pool has use for what waits for the pool, too", () => {
    const line = JSON.stringify({ name: "hotels", pools: ["beds"] });
    const objects = rendered([
      "--set-json",
      `agents=[${line}]`,
      "--set",
      "keda.enabled=true,keda.serverAddress=http://prometheus:9090",
    ]);
    const [scaled] = ofKind(objects, "ScaledObject") as readonly IScaledObject[];
    const query = String(scaled?.spec.triggers[0]?.metadata["query"]);
    const series = {
      holdfast_due_steps: { hotels: 1, beds: 20, flights: 300 },
      holdfast_agent_in_flight_steps: { hotels: 4, flights: 50 },
    };
    expect(answerOf(query, series)).toBe(25);
  });

  test("a Scheduler exposes what the trigger asks for, by those labels", () => {
    const reference = readFile("docs/reference/metrics.md");
    for (const [, label = "", name = ""] of triggerOf().query.matchAll(/by \((\w+)\) \((\w+)\{/g)) {
      const row = reference.split("\n").find((line) => line.includes(`\`${name}\``));
      expect(row).toContain(`\`${label}\``);
    }
  });

  test("KEDA takes the place of the autoscaler by CPU, for Agents alone", () => {
    const objects = rendered([
      "--set-json",
      `agents=[{"name":"hotels"}]`,
      "--set",
      "keda.enabled=true,keda.serverAddress=http://prometheus:9090",
    ]);
    const byCpu = ofKind(objects, "HorizontalPodAutoscaler").map(({ metadata }) => metadata.name);
    expect(byCpu.toSorted()).toEqual(["scheduler", "submission"]);
  });
});
