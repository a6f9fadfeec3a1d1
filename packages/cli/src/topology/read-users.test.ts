import { definitionsOf } from "@holdfast/messaging";
import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { usersIn } from "./read-users.ts";

test("one line is enough for a user, and an Agent's line names its Agent", () => {
  expect(usersIn({ scheduler: "scheduler", shop: "application", payments: "agent" })).toEqual([
    { name: "scheduler", role: "scheduler" },
    { name: "shop", role: "application", statusWord: "shop" },
    { name: "payments", role: "agent", agents: ["payments"] },
  ]);
});

test("a longer form says which Agents a user serves, and where an application reads its statuses", () => {
  const list = {
    warehouse: { role: "agent", agents: ["inventory", "cold-storage"] },
    shop: { role: "application", statusWord: "orders", maxConnections: 500 },
  };
  expect(usersIn(list)).toEqual([
    { name: "warehouse", role: "agent", agents: ["inventory", "cold-storage"] },
    { name: "shop", role: "application", statusWord: "orders", maxConnections: 500 },
  ]);
});

test.each([
  [null, "it must be names with roles"],
  [[], "it must be names with roles"],
  [{}, "it is empty"],
  [{ "a b": "agent" }, "a b is no name of a user"],
  [{ shop: "shopper" }, "the role of shop is shopper, and none of application"],
  [{ shop: null }, "shop must be names with roles"],
  [{ Payments: "agent" }, "Payments is no name of an Agent"],
  [{ x: { role: "agent", agents: ["a.b|c"] } }, "a.b|c is no name of an Agent"],
  [{ x: { role: "agent", agents: [] } }, "the agents of x must be a list of names"],
  [{ x: { role: "agent", agent: "y" } }, "x has a field agent, which is unknown"],
  [{ x: { role: "application", statusWord: "a.*" } }, "the statusWord of x must be"],
  [{ x: { role: "application", maxConnections: 0 } }, "the maxConnections of x must be a number"],
  [{ x: { role: "application", maxConnections: "5" } }, "the maxConnections of x must be a number"],
  [
    { shop: "application", "shop.eu": "application" },
    "the status queues of shop.eu are among those of shop",
  ],
  [
    { "shop.eu.north": "application", "shop.eu": "application" },
    "rename shop.eu.north, or give it a statusWord without a dot, such as shop-eu-north",
  ],
  [
    { "shop.eu": "application", web: { role: "application", statusWord: "shop" } },
    "the status queues of shop.eu are among those of web",
  ],
])("the list %j is refused with a reason", (list, reason) => {
  expect(() => usersIn(list)).toThrow(reason);
});

test.each<[string, object]>([
  ["a word of its own", { role: "application", statusWord: "shop-eu" }],
  ["another role", { role: "observer" }],
])(
  "a user with a dotted name is accepted beside the one that its name begins with, with %s",
  (_, user) => {
    expect(usersIn({ shop: "application", "shop.eu": user })).toHaveLength(2);
  },
);

test("no application that is accepted may touch the status queues of another word", () => {
  const part = fc.constantFrom("shop", "eu", "s", "shop-eu", "shop_eu", "1");
  const name = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("."));
  const word = fc.option(part, { nil: undefined });
  fc.assert(
    fc.property(fc.array(fc.tuple(name, word), { minLength: 2, maxLength: 5 }), (listed) => {
      const list = Object.fromEntries(
        listed.map(([user, statusWord]) => [user, { role: "application", statusWord }]),
      );
      const users = acceptedOf(list);
      const { permissions } = definitionsOf({ vhost: "x", agents: [], users });
      const words = users.flatMap((user) => ("statusWord" in user ? [user.statusWord] : []));
      for (const { user, configure, read } of permissions) {
        const own = users.find((one) => one.name === user);
        for (const other of words.filter(
          (one) => own && "statusWord" in own && one !== own.statusWord,
        )) {
          for (const queue of [`status.${other}`, `status.${other}.returns`]) {
            expect([user, queue, new RegExp(configure).test(queue)]).toEqual([user, queue, false]);
            expect([user, queue, new RegExp(read).test(queue)]).toEqual([user, queue, false]);
          }
        }
      }
    }),
  );
});

/** The users that a list has, with hashes of passwords; none where the list is refused. */
const acceptedOf = (list: object) => {
  try {
    return usersIn(list).map((user) => ({ ...user, passwordHash: "" }));
  } catch {
    return [];
  }
};
