import { expect, test } from "@jest/globals";
import { z } from "zod";
import { Order } from "../test/fixtures.ts";
import { defineAgent } from "./agent.ts";
import { defineWorkflow } from "./define-workflow.ts";
import type { PooledAgent } from "./pool.ts";

const charge = {
  input: z.object({ amount: z.int() }),
  output: z.object({ id: z.string() }),
  undo: "refund",
} as const;
const eu = defineAgent("psp-eu", { charge }, { remote: "psp" });
const us = defineAgent("psp", { charge });

const pooled = (...agents: readonly PooledAgent[]) =>
  defineWorkflow("sell.v1", Order, (order, step) => {
    const call = eu.charge({ amount: order.price.amount });
    step("charge", { call, agents, completeWithin: "5s" });
  });

test("a step may name Agents of one remote service, and the first stands for all", () => {
  const { definition } = pooled(us, eu);
  expect(definition.steps[0]).toMatchObject({ agent: "psp", agents: ["psp", "psp-eu"] });
  expect(definition.remotes).toEqual({ "psp-eu": { service: "psp" } });
  expect(Object.keys(definition.inputs ?? {})).toEqual(["psp.charge"]);
});

test("an Agent says what it wraps where it is not a service of its own name", () => {
  const own = defineAgent("psp", { charge }, { remote: "psp", sharesKeys: false });
  const { definition } = defineWorkflow("sell.v1", Order, (_, step) => {
    step("charge", { call: own.charge({ amount: 1 }), completeWithin: "5s" });
  });
  expect(definition).not.toHaveProperty("remotes");
  expect(definition.steps[0]).not.toHaveProperty("agents");
  expect(() => defineAgent("psp", { charge }, { remote: "The PSP" })).toThrow(
    /Agent psp: remote "The PSP": not a usable name/,
  );
});

test.each<[string, readonly PooledAgent[], RegExp]>([
  [
    "that wrap different services",
    [eu, defineAgent("bank", { charge })],
    /agents: psp-eu wraps the remote service psp, and bank wraps bank: .* same `remote` in defineAgent/,
  ],
  [
    "that differ in whether they share keys",
    [eu, defineAgent("psp", { charge }, { sharesKeys: true })],
    /psp-eu and psp differ in whether psp shares their idempotency keys/,
  ],
  [
    "without the Agent of the call",
    [us, defineAgent("psp-us", { charge }, { remote: "psp" })],
    /the call is of psp-eu, and agents are psp, psp-us/,
  ],
  [
    "of which one lacks the operation",
    [eu, defineAgent("psp", {})],
    /psp has no operation charge, as psp-eu has/,
  ],
  [
    "whose operations differ",
    [
      eu,
      defineAgent("psp", {
        charge: { input: z.object({ amount: z.string() }), output: z.null(), undo: "giveBack" },
      }),
    ],
    /psp.charge takes another input than psp-eu.charge; psp.charge returns another output than psp-eu.charge; psp.charge is undone by giveBack, and psp-eu.charge by refund/,
  ],
  ["that are one", [eu], /agents must NOT have fewer than 2 items/],
  ["that are named twice", [eu, eu], /agents must NOT have duplicate items/],
])("Agents %s are refused", (_, agents, message) => {
  expect(() => pooled(...agents)).toThrow(
    expect.objectContaining({
      code: "workflow.invalid",
      message: expect.stringMatching(message),
    }),
  );
});
