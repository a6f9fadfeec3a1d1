import { expect, test } from "@jest/globals";
import type { Clock } from "../time/clock.ts";
import { openMetrics } from "./open-metrics.ts";

const claimed = {
  kind: "counter",
  name: "claimed_total",
  help: "Claimed steps.",
  labels: { agent: { most: 50 }, outcome: ["completed", "failed"] },
} as const;
const waiting = {
  kind: "gauge",
  name: "waiting",
  help: "Waiting.",
  labels: { lane: { most: 5 } },
} as const;
const took = { kind: "histogram", name: "took_seconds", help: "Took.", buckets: [1, 2] } as const;

const linesOf = async (metrics: ReturnType<typeof openMetrics>, name: string) =>
  (await metrics.scrape()).text.split("\n").filter((line) => line.startsWith(`${name}{`));

test("10,000 hostile names in two labels make 51 times 3 time series at most, and no line of their own", async () => {
  const metrics = openMetrics("scheduler");
  const add = metrics.counter(claimed);
  for (let index = 0; index < 10_000; index += 1) {
    add(1, `x"} 1\nevil_total{a="${index}\\`, `outcome-${index}`);
    add(1, "x".repeat(100_000) + index, "completed");
  }
  const { text } = await metrics.scrape();
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines.length).toBeLessThanOrEqual(51 * 3);
  expect(lines.filter((line) => !line.startsWith("claimed_total{"))).toEqual([]);
  expect(text.length).toBeLessThan(20_000);
  const sum = lines.reduce((all, line) => all + Number(line.slice(line.lastIndexOf(" "))), 0);
  expect(sum).toBe(20_000);
  expect(text).toContain('agent="other",outcome="other"');
});

test("a gauge with more label values than it may have exposes the first of them and one for the others", async () => {
  const metrics = openMetrics("scheduler");
  metrics.read(waiting, () => Array.from({ length: 10_000 }, (_, lane) => [1, `lane-${lane}`]));
  expect(await linesOf(metrics, "waiting")).toHaveLength(6);
});

test("a gauge without labels is absent, and not 0, while its reader has nothing to say or throws", async () => {
  const metrics = openMetrics("scheduler");
  const age = { kind: "gauge", name: "age_seconds", help: "Age." } as const;
  let read = (): readonly [number][] => [];
  metrics.read(age, () => read());
  expect(await linesOf(metrics, "age_seconds")).toEqual([]);
  read = () => [[7]];
  expect(await linesOf(metrics, "age_seconds")).toEqual([
    'age_seconds{service_name="scheduler"} 7',
  ]);
  read = () => {
    throw new Error("no store");
  };
  expect(await linesOf(metrics, "age_seconds")).toEqual([]);
  read = () => [[0]];
  expect(await linesOf(metrics, "age_seconds")).toEqual([
    'age_seconds{service_name="scheduler"} 0',
  ]);
});

test("a definition that is used twice is one metric, and its last reader is asked", async () => {
  const metrics = openMetrics("scheduler");
  metrics.counter(claimed)(1, "a", "completed");
  metrics.counter(claimed)(2, "a", "completed");
  metrics.read(waiting, () => [[1, "first"]]);
  metrics.read(waiting, () => [[2, "second"]]);
  metrics.histogram(took)(1.5);
  const { text, contentType } = await metrics.scrape();
  expect(contentType).toContain("text/plain");
  expect(text).toContain('claimed_total{agent="a",outcome="completed",service_name="scheduler"} 3');
  expect(text).toContain('waiting{lane="second",service_name="scheduler"} 2');
  expect(text).not.toContain("first");
  expect(text).toContain('took_seconds_bucket{le="2",service_name="scheduler"} 1');
});

test("two services of one process have metrics of their own", async () => {
  const [one, two] = [openMetrics("scheduler"), openMetrics("supervisor")];
  one.counter(claimed)(1, "a", "completed");
  expect(await linesOf(two, "claimed_total")).toEqual([]);
  expect(await linesOf(one, "claimed_total")).toHaveLength(1);
});

test("a scrape gives the rest when a reader throws, and when what it waits for fails or never ends", async () => {
  const due: (() => void)[] = [];
  const clock: Pick<Clock, "after"> = {
    after: (_, act) => {
      due.push(act);
      return () => {};
    },
  };
  const metrics = openMetrics("scheduler", clock);
  metrics.counter(claimed)(1, "a", "failed");
  metrics.read(waiting, () => {
    throw new Error("no store");
  });
  metrics.beforeScrape("fails", () => Promise.reject(new Error("no store")));
  metrics.beforeScrape("hangs", () => new Promise(() => {}));
  const scraped = Promise.all([metrics.scrape(), metrics.scrape()]);
  expect(due).toHaveLength(1);
  due[0]?.();
  const [first, second] = await scraped;
  expect(first.text).toContain(
    'claimed_total{agent="a",outcome="failed",service_name="scheduler"} 1',
  );
  expect(first.text).not.toMatch(/^waiting\{/m);
  expect(second).toBe(first);
});
