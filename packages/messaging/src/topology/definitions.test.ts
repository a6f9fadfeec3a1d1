import { probeRoute, replyQueues } from "@holdfast/contracts";
import { describe, expect, test } from "@jest/globals";
import { type BrokerUser, definitionsOf, hashPassword } from "./definitions.ts";
import { topologyOf } from "./topology.ts";

const agents = ["inventory", "payments", "cold-storage"];
const hash = hashPassword("secret");
const users: readonly BrokerUser[] = [
  { name: "shop", passwordHash: hash, role: "application", statusWord: "shop" },
  { name: "submission", passwordHash: hash, role: "submission" },
  { name: "operations", passwordHash: hash, role: "operations" },
  { name: "scheduler", passwordHash: hash, role: "scheduler" },
  { name: "supervisor", passwordHash: hash, role: "supervisor" },
  { name: "looker", passwordHash: hash, role: "observer" },
  { name: "payments", passwordHash: hash, role: "agent", agents: ["payments"] },
  { name: "warehouse", passwordHash: hash, role: "agent", agents: ["inventory", "cold-storage"] },
];
const definitions = definitionsOf({ vhost: "holdfast", agents, users });
const permissionsOf = (user: string) => definitions.permissions.find((one) => one.user === user);
const may = (user: string, verb: "read" | "write" | "configure", resource: string) =>
  new RegExp(permissionsOf(user)?.[verb] ?? "^$").test(resource);
const writers = (resource: string) =>
  users.map(({ name }) => name).filter((name) => may(name, "write", resource));
const mayRoute = (user: string, routingKey: string) =>
  new RegExp(definitions.topic_permissions.find((one) => one.user === user)?.write ?? "^$").test(
    routingKey,
  );

test("the definitions have the queues, exchanges and bindings that services declare themselves", () => {
  const topology = topologyOf(agents);
  expect(
    definitions.queues.map(({ name, arguments: args }) => ({ name, arguments: args })),
  ).toEqual(topology.queues);
  expect(definitions.exchanges.map(({ name, type }) => ({ name, type }))).toEqual(
    topology.exchanges,
  );
  expect(definitions.bindings).toHaveLength(topology.bindings.length);
});

test("the definitions have only the users that were requested", () => {
  expect(definitions.users.map(({ name }) => name)).toEqual(users.map(({ name }) => name));
});

test("the definitions bound what an application may have open, and no service", () => {
  const limited = definitions.users.flatMap(({ name, limits }) => (limits ? [[name, limits]] : []));
  expect(limited).toEqual([["shop", { "max-connections": 100, "max-channels": 1_000 }]]);
});

test.each(["task.submissions", "task.signals"])(
  "the definitions bound what waits in %s, and refuse what is beyond",
  (name) => {
    const queue = definitions.queues.find((one) => one.name === name);
    expect(queue?.arguments).toMatchObject({
      "x-max-length-bytes": 512 * 1024 * 1024,
      "x-overflow": "reject-publish",
    });
  },
);

test.each(["submission", "supervisor", "payments", "shop", "looker"])(
  "the definitions let %s declare nothing",
  (user) => {
    expect(may(user, "configure", "agent.payments")).toBe(false);
  },
);

test("the definitions let the Scheduler read the state of queues whose consumers it counts", () => {
  expect(may("scheduler", "configure", "agent.cold-storage")).toBe(true);
  expect(may("scheduler", "configure", "scheduler.replies")).toBe(true);
  expect(may("scheduler", "configure", "holdfast.replies")).toBe(false);
  expect(may("supervisor", "configure", "scheduler.unrecorded")).toBe(true);
});

test("the definitions let the Scheduler read all reply queues, and own one", () => {
  expect(may("scheduler", "read", "scheduler.replies.8")).toBe(true);
  expect(may("scheduler", "configure", "scheduler.replies.8.owner")).toBe(true);
  expect(may("scheduler", "configure", "scheduler.replies.8")).toBe(false);
});

test.each(["dead.requests", "dead.replies"])(
  "the definitions never drop messages of %s",
  (name) => {
    const queue = definitions.queues.find((one) => one.name === name);
    expect(queue?.arguments["x-delivery-limit"]).toBe(1_000_000);
  },
);

describe("an Agent", () => {
  test("reads its own queue only", () => {
    expect(may("payments", "read", "agent.payments")).toBe(true);
    expect(may("payments", "read", "agent.inventory")).toBe(false);
    expect(may("payments", "read", "agent.payments2")).toBe(false);
    expect(may("payments", "read", "scheduler.replies")).toBe(false);
  });

  test("writes replies only, and under its own name", () => {
    expect(may("payments", "write", "holdfast.replies")).toBe(true);
    expect(may("payments", "write", "amq.default")).toBe(false);
    expect(mayRoute("payments", "reply.payments.9d2e1b2c")).toBe(true);
    expect(mayRoute("payments", "reply-2.payments.9d2e1b2c")).toBe(true);
    expect(mayRoute("payments", "reply.inventory.9d2e1b2c")).toBe(false);
    expect(mayRoute("payments", "reply-2.inventory.9d2e1b2c")).toBe(false);
    expect(mayRoute("payments", "reply.payments2.9d2e1b2c")).toBe(false);
  });

  test("may be one user for several Agents", () => {
    expect(may("warehouse", "read", "agent.cold-storage")).toBe(true);
    expect(mayRoute("warehouse", "reply.inventory.9d2e1b2c")).toBe(true);
    expect(mayRoute("warehouse", "reply.payments.9d2e1b2c")).toBe(false);
  });
});

describe("an application", () => {
  test("publishes orders and signals, and nothing else", () => {
    expect(may("shop", "write", "holdfast.submissions")).toBe(true);
    expect(may("shop", "write", "holdfast.signals")).toBe(true);
    expect(may("shop", "write", "holdfast.requests")).toBe(false);
    expect(may("shop", "write", "amq.default")).toBe(false);
  });

  test("declares and reads its own status queues", () => {
    expect(may("shop", "configure", "status.shop.returns")).toBe(true);
    expect(may("shop", "read", "status.shop")).toBe(true);
    expect(may("shop", "read", "status.shop2")).toBe(false);
    expect(may("shop", "read", "task.submissions")).toBe(false);
    expect(may("shop", "read", "task.signals")).toBe(false);
  });
});

test("no one writes signals but applications, and operators who send dead ones again", () => {
  expect(writers("holdfast.signals")).toEqual(writers("holdfast.submissions"));
  expect(writers("holdfast.signals")).toEqual(expect.arrayContaining(["shop"]));
});

test("only the Scheduler may write requests, and no user may write to the default exchange", () => {
  expect(writers("holdfast.requests")).toEqual(["scheduler"]);
  expect(writers("amq.default")).toEqual([]);
});

test("during an upgrade, services of the earlier release may still write to the default exchange", () => {
  const wider = definitionsOf({ vhost: "holdfast", agents, users, duringUpgrade: true });
  const allowed = wider.permissions.filter(({ write }) => new RegExp(write).test("amq.default"));
  expect(allowed.map(({ user }) => user)).toEqual(["submission", "scheduler", "supervisor"]);
});

test.each(["submission", "scheduler", "supervisor"])("%s cannot speak for an Agent", (user) => {
  expect(mayRoute(user, "reply.payments.9d2e1b2c")).toBe(false);
  expect(mayRoute(user, "reply-1.payments.probe")).toBe(false);
});

test.each(["submission", "scheduler"])("%s may write nothing among the replies", (user) => {
  expect(may(user, "write", "holdfast.replies")).toBe(false);
});

test("the Supervisor alone may send probes the way of a reply", () => {
  const routes = replyQueues.map(probeRoute);
  const each = ["supervisor", "submission", "scheduler", "payments"];
  const mayProbe = (user: string) => routes.map((route) => mayRoute(user, route));
  expect(may("supervisor", "write", "holdfast.replies")).toBe(true);
  expect(each.map(mayProbe)).toEqual(each.map((user) => routes.map(() => user === "supervisor")));
});

test("the definitions hash a password as RabbitMQ documents it", () => {
  const salt = Buffer.from("908dc60a", "hex");
  expect(hashPassword("test12", salt)).toBe("kI3GCqW5JLMJa4iX1lo7X4D6XbYqlLgxIs30+P6tENUV2POR");
});
