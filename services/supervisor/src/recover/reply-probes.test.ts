import { isProbeRoute, ReplyProbe, replyQueues } from "@holdfast/contracts";
import type { OutgoingMessage, PublishResult } from "@holdfast/messaging";
import { describe, expect, test } from "@jest/globals";
import { replyProbes } from "./reply-probes.ts";

/** A store and a broker that a test turns, and what they were given. */
function probing() {
  const world = { now: 0, waited: 0, result: "stored" as PublishResult | null };
  const published: OutgoingMessage[] = [];
  const alerts: string[] = [];
  const troubles: (string | null)[] = [];
  const logged: string[] = [];
  const probes = replyProbes({
    store: {
      askForProof: async ({ probes: asked }) => {
        troubles.push(asked[0]?.trouble ?? null);
        return asked.map(({ queue }) => ({
          queue,
          now: 1_000_000 + world.now,
          waited: world.waited,
        }));
      },
      raisePathAlert: async ({ detail }) => void alerts.push(detail),
    },
    broker: {
      publish: (message) => {
        published.push(message);
        // Null: the broker does not answer.
        return world.result === null ? new Promise(() => {}) : Promise.resolve(world.result);
      },
    },
    clock: { now: () => world.now },
    log: {
      warn: (_: object, text: string) => void logged.push(text),
      info: (_: object, text: string) => void logged.push(text),
    } as never,
  });
  /** Asks once each quarter of a second, for so long. */
  const askFor = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 250) {
      await probes.ask(0);
      world.now += 250;
      world.waited += 250;
    }
  };
  return { world, probes, published, alerts, troubles, logged, askFor };
}

test("a probe goes to each queue of replies, by the way of a reply, with the time on the store's clock", async () => {
  const { probes, published } = probing();
  await probes.ask(0);
  expect(published.map(({ body }) => ReplyProbe.decode(body))).toEqual(
    replyQueues.map((queue) => ({ queue, sentAt: "1970-01-01T00:16:40.000Z" })),
  );
  expect(published.every(({ routingKey }) => isProbeRoute(routingKey))).toBe(true);
  expect(published.every(({ transient }) => transient !== true)).toBe(true);
});

describe("while no probe arrives", () => {
  test("few are sent, and none while the broker has not answered", async () => {
    const { world, published, askFor } = probing();
    await askFor(600_000);
    // The last of them are five seconds apart.
    expect(published.length / replyQueues.length).toBeLessThan(200);
    const before = published.length;
    world.result = null;
    await askFor(600_000);
    expect(published.length - before).toBe(replyQueues.length);
  });

  test("the log says so once, and once more when they arrive", async () => {
    const { probes, logged, askFor } = probing();
    await askFor(60_000);
    probes.arrived();
    expect(logged).toEqual([
      "replies may not arrive: no silence is counted",
      "replies arrive again",
    ]);
  });

  test.each<[PublishResult, RegExp]>([
    ["stored", /no Scheduler has recorded it/],
    ["unroutable", /leads to no such queue/],
    ["unknown", /did not confirm it/],
  ])("a person hears which part of the way is broken: %s", async (result, expected) => {
    const { world, alerts, troubles, askFor } = probing();
    world.result = result;
    await askFor(9_000);
    expect(alerts).toEqual([]);
    await askFor(2_000);
    expect(alerts[0]).toMatch(expected);
    expect(troubles.at(-1)).toMatch(expected);
  });
});

test("probes that arrive at once are neither logged nor alerted, and are out no more", async () => {
  const { world, probes, logged, alerts } = probing();
  expect(await probes.ask(0)).toBe(50);
  world.now += 30;
  expect(probes.outFor()).toBe(30);
  probes.arrived();
  expect(probes.outFor()).toBe(0);
  expect([...logged, ...alerts]).toEqual([]);
});
