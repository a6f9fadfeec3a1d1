import { deadReplyQueue, replyQueue, submissionQueue } from "@holdfast/contracts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type OperatedBroker, readQueues } from "../../test/broker.ts";
import {
  agents,
  expectOnly,
  openTestSystem,
  type TestSystem,
  without,
  wrongs,
} from "../../test/doctor.ts";
import { type TestStore, workflowOf } from "../../test/fixtures.ts";

let system: TestSystem;
let store: TestStore;
let operated: OperatedBroker;

beforeAll(async () => {
  system = await openTestSystem();
  ({ store, operated } = system);
});
afterAll(async () => {
  await system[Symbol.asyncDispose]();
});
afterEach(() => system.cleanUp());

describe("finds at the broker", () => {
  test("an Agent without a consumer", async () => {
    await system.startServices(without("agent.payments"));
    expectOnly(
      await system.lookAt(),
      "agents.absent",
      "No process serves the Agent payments. It is needed by shopping.v1.",
    );
  });

  test("an Agent that has no queue", async () => {
    await system.startServices();
    await store.store.registerWorkflow(
      workflowOf("shipping.v1", [{ name: "ship", agent: "shipping" }]),
    );
    system.cleanUps.defer(
      async () =>
        void (await store.query("delete from state.workflows where name = 'shipping.v1'")),
    );
    expectOnly(
      await system.lookAt(),
      "agents.unroutable",
      "The Agent shipping has no queue (agent.shipping), so no request can reach it. It is needed by shipping.v1.",
    );
  });

  test("a step whose limit exceeds the broker's consumer timeout", async () => {
    await system.startServices();
    await store.store.registerWorkflow(
      workflowOf("assembly.v1", [
        { name: "assemble", agent: "inventory", completeWithin: 8 * 60_000 },
        // Its request is acknowledged early.
        { name: "paint", agent: "inventory", completeWithin: 45 * 60_000 },
      ]),
    );
    system.cleanUps.defer(
      async () =>
        void (await store.query("delete from state.workflows where name = 'assembly.v1'")),
    );
    expectOnly(
      await system.lookAt(["--consumer-timeout", "5m"]),
      "agents.consumer_timeout",
      "assembly.v1/assemble gives the Agent inventory 8 min",
    );
    expect(wrongs(await system.lookAt())).toEqual([]);
  });

  test("that no Scheduler and no submission service runs", async () => {
    await system.startServices(without(replyQueue).filter((queue) => queue !== submissionQueue));
    expectOnly(
      await system.lookAt(),
      "services.absent",
      "No Scheduler runs",
      "no submission service runs",
    );
  });

  test("a queue that is missing", async () => {
    await system.startServices(without(deadReplyQueue));
    await operated.broker.deleteQueue(deadReplyQueue);
    system.cleanUps.defer(() => declareAnew(deadReplyQueue, { "x-delivery-limit": 1_000_000 }));
    expectOnly(await system.lookAt(), "broker.topology", `the queue ${deadReplyQueue} is missing`);
  });

  test("a delivery limit that differs from Holdfast's", async () => {
    await system.startServices(without("agent.payments"));
    await redeclarePayments({ ...toExpired, "x-delivery-limit": 5 });
    system.cleanUps.use(await operated.listen(["agent.payments"]));
    await operated.heard(readQueues(agents));
    expectOnly(
      await system.lookAt(),
      "broker.topology",
      "the queue agent.payments is declared otherwise: x-delivery-limit is 5 and should be 20",
    );
  });

  test("a queue whose dead letters would be dropped", async () => {
    await system.startServices(without("agent.payments"));
    await redeclarePayments({ "x-delivery-limit": 20 });
    system.cleanUps.use(await operated.listen(["agent.payments"]));
    await operated.heard(readQueues(agents));
    expectOnly(await system.lookAt(), "broker.topology", "x-dead-letter-exchange is none");
  });

  test("a binding that is missing", async () => {
    await system.startServices();
    const binding = `bindings/:vhost/e/holdfast.replies/q/${replyQueue}`;
    await operated.manage("DELETE", `${binding}/reply.%23`);
    system.cleanUps.defer(() => post(binding, { routing_key: "reply.#" }));
    expectOnly(
      await system.lookAt(),
      "broker.topology",
      `${replyQueue} to holdfast.replies is missing`,
    );
  });

  test("a policy that drops messages and lowers the delivery limit", async () => {
    await system.startServices();
    await operated.manage("PUT", "policies/:vhost/careless", {
      pattern: "^agent\\.payments$",
      definition: { "max-length": 10, "delivery-limit": 3 },
      "apply-to": "queues",
    });
    system.cleanUps.defer(() => operated.manage("DELETE", "policies/:vhost/careless"));
    expectOnly(
      await system.lookAt(),
      "broker.policies",
      "the policy careless gives agent.payments max-length = 10: messages are dropped",
      "lowers the delivery limit of agent.payments from 20 to 3",
    );
  });

  test("too few connections", async () => {
    await system.startServices();
    system.cleanUps.use(await operated.listen());
    await operated.manage("PUT", "vhost-limits/:vhost/max-connections", { value: 8 });
    system.cleanUps.defer(() => operated.manage("DELETE", "vhost-limits/:vhost/max-connections"));
    expectOnly(await system.lookAt(), "broker.connections", "7 of 8 connections are taken");
  });
});

/** Declares a quorum queue, as only an operator would. */
const declareAnew = (queue: string, more: Readonly<Record<string, string | number>>) =>
  operated.manage("PUT", `queues/:vhost/${queue}`, {
    durable: true,
    arguments: { "x-queue-type": "quorum", ...more },
  });

const toExpired = { "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "requests.expired" };

/** Declares the queue for one test, with other arguments than ours. */
async function redeclarePayments(more: Readonly<Record<string, string | number>>): Promise<void> {
  const declare = async (arguments_: typeof more) => {
    await operated.broker.deleteQueue("agent.payments");
    await declareAnew("agent.payments", arguments_);
  };
  await declare(more);
  system.cleanUps.defer(() => declare({ ...toExpired, "x-delivery-limit": 20 }));
}

const post = (path: string, body: object) => operated.manage("POST", path, body);
