import { randomUUID } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { StepReply, StepRequest } from "@holdfast/contracts";
import type { Broker, Delivery } from "@holdfast/messaging";
import type { Logger } from "@holdfast/runtime";
import { defineAgent } from "@holdfast/workflow";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { payments, request, unasked } from "../../test/fixtures.ts";
import { virtualClock } from "../../test/virtual-clock.ts";
import { host } from "../run/host.ts";

const silent = () => {};
const log = { debug: silent, info: silent, warn: silent, error: silent } as unknown as Logger;

/**
 * An Agent that is handed one request which its contract refuses, and what it does about it, in
 * order.
 */
async function refuse(
  delivery: Partial<Delivery>,
  asked: Partial<StepRequest> = {},
  options: { readonly bundling?: boolean; readonly requesters?: ReadonlySet<string> } = {},
) {
  const deeds: string[] = [];
  const replies: StepReply[] = [];
  const bundles: unknown[] = [];
  const handled = Promise.withResolvers<void>();
  const publishAs =
    (deed: string): Broker["publish"] =>
    async ({ body, bundle }) => {
      deeds.push(deed);
      bundles.push(bundle);
      replies.push(StepReply.decode(body));
      return "stored";
    };
  const broker: Pick<Broker, "publish" | "consume" | "inspect"> = {
    publish: publishAs("reply elsewhere"),
    consume: async (_queue, _options, handle) => {
      const whole = {
        body: StepRequest.encode(request({ operation: "unknown", ...asked })),
        redelivered: false,
        isCurrent: () => true,
        whenAcknowledged: () => Promise.resolve(),
        ack: () => void deeds.push("ack"),
        answer: publishAs("reply"),
        ...delivery,
      } as Delivery;
      void handle(whole).then(handled.resolve);
      return Object.assign(new AsyncDisposableStack(), { limit: async () => {} });
    },
    inspect: async () => null,
  };
  const agent = host(payments, { charge: unasked, refund: unasked, assess: unasked });
  await using _served = await agent.serve({
    broker,
    concurrency: 1,
    userId: "payments",
    requesters: null,
    log,
    failpoint: silent,
    ...options,
  });
  await handled.promise;
  return {
    deeds,
    outcome: replies[0]?.outcome,
    bundleSize: replies[0]?.bundleSize,
    bundle: bundles[0],
  };
}

const refused = { kind: "failed", attempted: false, transient: false, effect: "none" };

test("a request is acknowledged before it is refused, so that no Agent carries it out afterwards", async () => {
  const { deeds, outcome } = await refuse({});
  expect(deeds).toEqual(["ack", "reply"]);
  expect(outcome).toMatchObject({ ...refused, redelivered: false });
});

test("a refusal that cannot go the way of its acknowledgement says that the request may be delivered again", async () => {
  const { deeds, outcome } = await refuse({ answer: async () => "unknown" });
  expect(deeds).toEqual(["ack", "reply elsewhere"]);
  expect(outcome).toMatchObject({ ...refused, redelivered: true });
});

test("a refusal whose Scheduler is gone goes to all Schedulers, the way of its acknowledgement", async () => {
  const routes: string[] = [];
  const { deeds } = await refuse({
    replyTo: "scheduler.replies.3",
    async answer({ routingKey }) {
      routes.push(routingKey.split(".")[0] ?? "");
      return routes.length === 1 ? "unroutable" : "stored";
    },
  });
  expect(deeds).toEqual(["ack"]);
  expect(routes).toEqual(["reply-3", "reply"]);
});

test("a request that came with others is refused when all of them are acknowledged", async () => {
  const others = Promise.withResolvers<void>();
  const deeds: string[] = [];
  const refusing = refuse({
    ack: () => void deeds.push("ack"),
    whenAcknowledged: () => others.promise.then(() => void deeds.push("all")),
  });
  others.resolve();
  expect((await refusing).outcome).toMatchObject({ ...refused, redelivered: false });
  expect(deeds).toEqual(["ack", "all"]);
});

test("a request whose companions take too long is refused as one that may be delivered again", async () => {
  const { outcome } = await refuse(
    { whenAcknowledged: () => new Promise(silent) },
    { workMs: 200 },
  );
  expect(outcome).toMatchObject({ ...refused, redelivered: true });
});

test("a refusal that another Agent may make good is acknowledged first, too, and waits only briefly for others", async () => {
  const requesters = new Set(["scheduler"]);
  const transient = { ...refused, transient: true };
  const { deeds, outcome } = await refuse({}, {}, { requesters });
  expect(deeds).toEqual(["ack", "reply"]);
  expect(outcome).toMatchObject({ ...transient, redelivered: false });
  const never = { whenAcknowledged: () => new Promise<void>(silent) };
  const doubtful = await refuse(never, { workMs: 600_000 }, { requesters });
  expect(doubtful.outcome).toMatchObject({ ...transient, redelivered: true });
});

test("a request whose channel closed meanwhile is refused as one that is delivered again", async () => {
  const { outcome } = await refuse({ isCurrent: () => false });
  expect(outcome).toMatchObject({ ...refused, redelivered: true });
});

test("without bundling an Agent takes one request a message and bundles no replies", async () => {
  expect(await refuse({})).toMatchObject({ bundleSize: 1, bundle: { key: expect.any(String) } });
  const { bundleSize, bundle } = await refuse({}, {}, { bundling: false });
  expect([bundleSize, bundle]).toEqual([1, undefined]);
});

test("of a hundred attempts in progress each is aborted at its own deadline, and no later", async () => {
  const clock = virtualClock();
  const aborted: { readonly attempt: number; readonly at: number }[] = [];
  // In another order than that in which they came.
  const workMs = (attempt: number): number => 500 + ((attempt * 37) % 101);
  const attempts = Array.from({ length: 100 }, (_, index) => index + 1);
  const begun = Promise.withResolvers<void>();
  let left = attempts.length;
  const agent = host(payments, {
    charge: (_, { attempt, signal }) => {
      left -= 1;
      if (left === 0) begun.resolve();
      signal.addEventListener("abort", () => aborted.push({ attempt, at: clock.now() }));
      return new Promise(silent);
    },
    refund: unasked,
    assess: unasked,
  });
  await using _served = await agent.serve({
    broker: {
      publish: async () => "stored",
      consume: async (_queue, _options, handle) => {
        for (const attempt of attempts) {
          const body = StepRequest.encode(
            request({ taskId: randomUUID(), attempt, workMs: workMs(attempt) }),
          );
          const delivery = { body, redelivered: false, isCurrent: () => true, ack: silent };
          void handle(delivery as Partial<Delivery> as Delivery);
        }
        return Object.assign(new AsyncDisposableStack(), { limit: async () => {} });
      },
      inspect: async () => null,
    },
    concurrency: 100,
    userId: "payments",
    requesters: null,
    log,
    failpoint: silent,
    clock,
  });
  // They begin a few in each turn.
  await clock.pass(0);
  await begun.promise;
  await clock.pass(499);
  expect(aborted).toEqual([]);
  await clock.pass(101);
  expect(aborted).toEqual(
    attempts
      .toSorted((one, other) => workMs(one) - workMs(other))
      .map((attempt) => ({ attempt, at: workMs(attempt) })),
  );
});

const collect = (): void => {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
};

test("an output that waits for the broker is kept as text alone: as values it takes many times that", async () => {
  const anything = z.unknown();
  const notes = defineAgent("notes", { read: { input: anything, output: anything } });
  let output: WeakRef<object> | null = null;
  const agent = host(notes, {
    async read() {
      const values = Array.from({ length: 1_000 }, () => []);
      output = new WeakRef(values);
      return values;
    },
  });
  const publishing = Promise.withResolvers<Buffer>();
  const stored = Promise.withResolvers<"stored">();
  const handled = Promise.withResolvers<void>();
  const broker: Pick<Broker, "publish" | "consume" | "inspect"> = {
    publish({ body }) {
      publishing.resolve(body);
      return stored.promise;
    },
    async consume(_queue, _options, handle) {
      const asked = request({ agent: "notes", operation: "read", input: null });
      const delivery = { body: StepRequest.encode(asked), isCurrent: () => true, ack: silent };
      void handle(delivery as unknown as Delivery).then(handled.resolve);
      return Object.assign(new AsyncDisposableStack(), { limit: async () => {} });
    },
    inspect: async () => null,
  };
  const serving = { broker, concurrency: 1, userId: "notes", requesters: null, log };
  await using _served = await agent.serve({ ...serving, failpoint: silent });
  const body = await publishing.promise;
  expect(StepReply.decode(body).outcome).toMatchObject({
    kind: "completed",
    output: { length: 1_000 },
  });
  // What ran in this turn is on the stack, and keeps what it knows.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect((output as WeakRef<object> | null)?.deref()).toBeUndefined();
  stored.resolve("stored");
  await handled.promise;
});
