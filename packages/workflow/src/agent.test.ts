import { expect, test } from "@jest/globals";
import { z } from "zod";
import { contract, defineAgent } from "./agent.ts";

const operation = { input: z.object({ id: z.string() }), output: z.null() };

test("calling an operation in a definition records the call and makes none", () => {
  const agent = defineAgent("payments", { charge: { ...operation, undo: "refund" } });
  expect(agent.charge({ id: "a" })).toEqual({
    agent: "payments",
    operation: "charge",
    input: { id: "a" },
    inputSchema: expect.objectContaining({ properties: { id: { type: "string" } } }),
    undo: "refund",
    outputSchema: expect.objectContaining({ type: "null" }),
  });
  expect(agent[contract].name).toBe("payments");
  expect(Object.keys(agent[contract].operations)).toEqual(["charge"]);
});

const breakEveryRule = () =>
  defineAgent("pay.ments", {
    charge: { ...operation, undo: "refund" },
    settle: { ...operation, undo: "refund" },
    refund: operation,
    "pay-out": operation,
  });

test("a contract that breaks the rules names every breach", () => {
  expect(breakEveryRule).toThrow(
    expect.objectContaining({
      code: "agent.invalid",
      message: [
        "Agent pay.ments: not a usable name",
        'Agent pay.ments: operation "pay-out": not a usable name',
        'Agent pay.ments: "refund" undoes one operation and is nothing else',
        'Agent pay.ments: "refund" undoes one operation and is nothing else',
      ].join("\n"),
    }),
  );
});
