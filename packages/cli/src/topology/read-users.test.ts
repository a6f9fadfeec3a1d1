import { expect, test } from "@jest/globals";
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
    shop: { role: "application", statusWord: "orders" },
  };
  expect(usersIn(list)).toEqual([
    { name: "warehouse", role: "agent", agents: ["inventory", "cold-storage"] },
    { name: "shop", role: "application", statusWord: "orders" },
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
])("the list %j is refused with a reason", (list, reason) => {
  expect(() => usersIn(list)).toThrow(reason);
});
