import { replyQueue, storeQueue } from "@holdfast/contracts";
import { TransientFault } from "@holdfast/domain";
import type { BrokerFacts } from "@holdfast/messaging";
import { describe, expect, test } from "@jest/globals";
import { broker, managedBroker, queueOf, wrongs } from "../../test/broker-facts.ts";
import { checkBroker } from "./check-broker.ts";
import { checkCauses } from "./check-causes.ts";
import { checkQueues } from "./check-queues.ts";

describe("of RabbitMQ", () => {
  test.each<readonly [Partial<BrokerFacts>, string]>([
    [{ version: "3.9.29" }, "broker.version: RabbitMQ 3.9.29 is older"],
  ])("%j is wrong", (facts, text) => {
    expect(wrongs(checkBroker({ ...broker, ...facts }))).toEqual([expect.stringContaining(text)]);
  });

  test.each(["3.10.8", "3.13.7", "4.0.5", "4.3.0", "4.4.0"])("%s will do", (version) => {
    expect(wrongs(checkBroker({ ...broker, version }))).toEqual([]);
  });

  test("an alarm is reported once, whichever source shows it", () => {
    const management = { ...managedBroker({}).management, alarms: ["disk space"] } as never;
    const facts = { ...broker, blocked: "low on disk", management };
    const store = new TransientFault("store.unavailable", "it was not asked");
    expect(wrongs(checkCauses({ store, broker: facts }, 0))).toEqual([
      expect.stringContaining("broker.alarms: The broker takes no messages (disk space)"),
    ]);
  });

  test("a queue without a leader is reported as that and nothing else", () => {
    const queues = [queueOf({ name: replyQueue, state: "silent", consumers: 0 })];
    expect(wrongs(checkQueues({ ...broker, management: null, queues }))).toEqual([
      "broker.leaders: the queue scheduler.replies takes no consumer: it seems to have no leader",
    ]);
  });

  test("a queue without all of its replicas is a problem", () => {
    expect(wrongs(checkQueues(managedBroker({ online: 2 })))).toContain(
      "broker.replicas: agent.payments has 2 of 3 replicas",
    );
  });

  test("a policy that raises the delivery limit changes nothing", () => {
    const harmless = managedBroker({
      policy: "p",
      arguments: { "x-delivery-limit": 20 },
      definition: { "delivery-limit": 50 },
    });
    expect(wrongs(checkQueues(harmless)).filter((text) => text.includes("policies"))).toEqual([]);
  });

  test.each([
    ["x-max-length is 5 and should be 7", true],
    [null, false],
  ])(
    "a virtual host whose mark differs by %j belongs to another store: %j",
    (difference, isWrong) => {
      const owner = queueOf({ name: storeQueue, consumers: 0, difference });
      const found = wrongs(checkBroker({ ...broker, owner })).join();
      expect(
        found.includes("broker.owner: the virtual host belongs to the Holdfast of another"),
      ).toBe(isWrong);
    },
  );

  test("a missing exchange is a problem", () => {
    const facts = { ...broker, missingExchanges: ["holdfast.replies"] };
    expect(wrongs(checkQueues(facts))).toContain(
      "broker.topology: the exchange holdfast.replies is missing",
    );
  });
});
