import { configureAgents, host } from "@holdfast/agent";
import { defineAgent, defineWorkflow } from "@holdfast/workflow";
import { Type } from "typebox";
import { z } from "zod";

const input = z.object({ order: z.string() });
const operations = { work: { input, output: z.null() } } as const;

/** Agents that have nothing in common but the Schedulers. */
export const agentNames = ["east", "west", "north"] as const;

/** A workflow of one step for each of them. Its limits are longer than any Agent is stopped for. */
export const workflows = agentNames.map(
  (name) =>
    defineWorkflow(`${name}.v1`, input, ({ order }, step) => {
      step("work", {
        call: defineAgent(name, operations).work({ order }),
        startWithin: "5m",
        completeWithin: "5m",
      });
    }).definition,
);

/** What AGENT_MODULES loads. */
export const agents = configureAgents(Type.Object({}), () =>
  agentNames.map((name) => host(defineAgent(name, operations), { work: async () => null })),
);
