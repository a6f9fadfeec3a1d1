import { PermanentFault, SetupFault, TransientFault } from "@holdfast/domain";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import type { Channel, ConsumeMessage } from "amqplib";
import * as fc from "fast-check";
import type { Delivery } from "../broker.ts";
import { handleBatches } from "./handle-batches.ts";
import { toInboundMessage } from "./inbound-message.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const alone = {
  answer: () => Promise.reject(new Error("Nothing is answered")),
  onAcknowledged: () => {},
};

const errors = {
  bug: new RangeError("Maximum call stack size exceeded"),
  refused: new PermanentFault("store.refused", "no"),
  away: new TransientFault("store.unavailable", "no"),
  notGranted: new SetupFault("store.failed", "no"),
} as const;
type Kind = keyof typeof errors | "good";

interface Options {
  readonly prefetch: number;
  readonly max: number;
  readonly collectFor: number;
  /** Milliseconds that each call of the handler takes. */
  readonly takes: number;
  /** What is in the queue. */
  readonly queue: readonly Kind[];
}

/**
 * A queue whose messages are handed over as a broker does, and a handler that throws where one of
 * them has it throw.
 */
function consume({ prefetch, max, collectFor, takes, queue }: Options) {
  const left = [...queue.entries()];
  const unacknowledged = new Set<number>();
  const [recorded, buried] = [[] as Kind[], [] as Kind[]];
  let room = prefetch;

  const acknowledgeUpTo = (tag: number, all: boolean): void => {
    for (const one of unacknowledged)
      if (one === tag || (all && one < tag)) unacknowledged.delete(one);
    deliver();
  };
  const channel = {
    ack: ({ fields }: ConsumeMessage, all = false) => acknowledgeUpTo(fields.deliveryTag, all),
    reject: ({ fields }: ConsumeMessage) => acknowledgeUpTo(fields.deliveryTag, false),
  } as unknown as Channel;

  const kindOf = ({ body }: Delivery) => body.toString() as Kind;
  const intake = handleBatches({
    queue: "tested",
    prefetch,
    max,
    collectFor,
    async handle(batch) {
      await new Promise((resolve) => setTimeout(resolve, takes));
      for (const kind of batch.map(kindOf)) if (kind !== "good") throw errors[kind];
      recorded.push(...batch.map(kindOf));
    },
    deadLetter: async (delivery) => void buried.push(kindOf(delivery)),
    makeRoom: () => {
      room += prefetch;
      deliver();
    },
    log: { error: () => {} },
  });

  function deliver(): void {
    while (unacknowledged.size < room) {
      const [next] = left.splice(0, 1);
      if (next === undefined) return;
      const [tag, kind] = next;
      unacknowledged.add(tag);
      const fields = { deliveryTag: tag, redelivered: false, routingKey: "tested" };
      const message = { content: Buffer.from(kind), fields, properties: {} };
      intake.take(toInboundMessage(channel, message as unknown as ConsumeMessage, alone));
    }
  }
  deliver();
  return { recorded, buried, unacknowledged, intake };
}

/** Whether it came true within so many milliseconds of the fake clock. */
async function within(ms: number, condition: () => boolean): Promise<boolean> {
  for (let passed = 0; passed < ms && !condition(); passed += 5) {
    await jest.advanceTimersByTimeAsync(5);
  }
  return condition();
}

const bounds = {
  prefetch: fc.integer({ min: 1, max: 100 }),
  max: fc.integer({ min: 1, max: 200 }),
  collectFor: fc.constantFrom(0, 50),
  takes: fc.integer({ min: 0, max: 5 }),
};
const faulty = ["bug", "refused"] as const;
const away = ["away", "notGranted"] as const;

test.each([
  // Of a delivery that fails as if the store did, only the success of others says that it does not.
  { throwing: [...faulty, ...away], ms: 60_000 },
  { throwing: faulty, ms: 1_000 },
])(
  "when a whole prefetch of messages throws $throwing, the next good one is recorded within $ms ms, and they are buried",
  async ({ throwing, ms }) => {
    const cases = fc.record(bounds).chain((given) => {
      const lengths = { minLength: given.prefetch, maxLength: given.prefetch };
      return fc
        .array(fc.constantFrom<Kind>(...throwing), lengths)
        .map((bad): Options => ({ ...given, queue: [...bad, "good"] }));
    });
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        const { recorded, buried, unacknowledged, intake } = consume(given);
        expect(await within(ms, () => recorded.length > 0)).toBe(true);
        expect(await within(120_000, () => unacknowledged.size === 0)).toBe(true);
        expect(buried.toSorted()).toEqual(given.queue.slice(0, -1).toSorted());
        await intake.drain();
      }),
      { numRuns: 40 },
    );
  },
);

test.each(away)(
  "after a whole prefetch of messages that throw %s, too, if it is delivered",
  async (kind) => {
    const queue = [...Array<Kind>(100).fill(kind), "good" as const];
    const { recorded, intake } = consume({
      prefetch: 100,
      max: 100,
      collectFor: 0,
      takes: 1,
      queue,
    });
    expect(await within(1_000, () => recorded.length > 0)).toBe(true);
    await intake.drain();
  },
);

test("a flood of messages that meet a bug goes to the dead letters as fast as they are handled", async () => {
  const queue: Kind[] = [...Array<Kind>(1_500).fill("bug"), "good"];
  const given = { prefetch: 100, max: 200, collectFor: 0, takes: 1, queue };
  const { recorded, buried, intake } = consume(given);
  expect(await within(queue.length * 2, () => buried.length === 1_500)).toBe(true);
  expect(recorded).toEqual(["good"]);
  await intake.drain();
});

test("while the store is away nothing is buried, and it is asked no more than three times a second", async () => {
  let asked = 0;
  let isAway = true;
  const recorded: Delivery[] = [];
  const channel = { ack: () => {}, reject: () => {} } as unknown as Channel;
  const intake = handleBatches({
    queue: "tested",
    prefetch: 10,
    max: 10,
    async handle(batch) {
      asked += 1;
      if (isAway) throw errors.away;
      recorded.push(...batch);
    },
    deadLetter: () => Promise.reject(new Error("nothing may be buried")),
    makeRoom: () => {},
    log: { error: () => {} },
  });
  for (let tag = 0; tag < 10; tag += 1) {
    const fields = { deliveryTag: tag, redelivered: false, routingKey: "tested" };
    const message = { content: Buffer.from("x"), fields, properties: {} };
    intake.take(toInboundMessage(channel, message as unknown as ConsumeMessage, alone));
    await jest.advanceTimersByTimeAsync(20);
  }
  await jest.advanceTimersByTimeAsync(60_000);
  expect(asked).toBeLessThan(3 * 60 + 20);
  expect(intake.stalledConsumer).toMatchObject({ queue: "tested" });
  isAway = false;
  expect(await within(2_000, () => recorded.length === 10)).toBe(true);
  await intake.drain();
});
