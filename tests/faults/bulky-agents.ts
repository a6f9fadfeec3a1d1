import { configureAgents, host, PermanentFault, type StepContext } from "@holdfast/agent";
import { limits } from "@holdfast/contracts";
import {
  type CallDefinition,
  type StepDefinition,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { defineAgent } from "@holdfast/workflow";
import { Type } from "typebox";
import { z } from "zod";

const levels = limits.payloadDepth - 2;
/** Items of the lists that payloads consist of. */
const items = ["[]", "{}", '{"a":1}', "1.5", `${"[".repeat(levels)}${"]".repeat(levels)}`] as const;

/** Payloads of so many bytes, in the shapes that take most memory once they are parsed. */
const shapesOf = (bytes: number): readonly string[] => [
  ...items.map((item) => {
    const length = Math.floor((bytes - 2) / (item.length + 1));
    return `[${Array.from({ length }, () => item).join()}]`;
  }),
  JSON.stringify("😀".repeat((bytes - 2) / 4)),
];

/** The largest outputs. */
const shapes = shapesOf(limits.payloadBytes);
/** The largest inputs: with the envelope around them they fill a body. */
export const inputs = shapesOf(limits.payloadBytes - 100);

/** An Agent takes the whole of a payload and returns another one. */
const bulkyNames = ["bulky-1", "bulky-2", "bulky-3", "bulky-4"] as const;
/** An Agent that begins what it is asked for, and ends it when its attempt is cancelled. */
const mute = "mute";
/** All that the module has. */
export const agentNames: readonly string[] = [...bulkyNames, mute];

const anything = z.unknown();
const operations = {
  unfold: { input: anything, output: anything, undo: "fold" },
  refuse: { input: anything, output: anything },
} as const;

/** What AGENT_MODULES loads. */
export const agents = configureAgents(Type.Object({}), () => [
  ...bulkyNames.map((name) => host(defineAgent(name, operations), handlers)),
  host(defineAgent(mute, { wait: { input: anything, output: anything } }), {
    wait: (_, { signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(null))),
  }),
]);

const handlers = {
  async unfold(_input: unknown, context: StepContext): Promise<unknown> {
    for (const percent of [25, 50, 75])
      context.progress({ percent, note: "ü".repeat(limits.note) });
    const shape = Number(/\d+/.exec(context.step)?.[0]) % shapes.length;
    return JSON.parse(shapes[shape] ?? "");
  },
  async refuse(): Promise<never> {
    throw new PermanentFault("bulky.refused", "😀".repeat(limits.words / 2));
  },
  async fold(): Promise<void> {},
};

const policy = {
  startWithin: 600_000,
  completeWithin: 600_000,
  retry: { failures: 2, backoff: 100, max: 200 },
  coolDown: null,
} as const;

const stepOf = (name: string, more: Partial<CallDefinition>): CallDefinition => ({
  ...policy,
  name,
  agent: bulkyNames[0],
  operation: "unfold",
  input: null,
  after: [],
  onlyIf: null,
  onFailure: "undo",
  undo: null,
  ...more,
});

const workflowOf = (
  name: string,
  steps: readonly StepDefinition[],
  output: WorkflowDefinition["output"] = null,
): WorkflowDefinition => ({
  format: 1,
  name,
  inputSchema: {},
  steps,
  completeWithin: null,
  output,
});

const undo = { ...policy, operation: "fold", onFailure: "halt" } as const;
const unfolding = bulkyNames.map((agent, index) =>
  stepOf(`unfold-${index}`, { agent, input: { $ref: "/input" }, undo }),
);
const after = unfolding.map(({ name }) => name);

/**
 * Four Agents get the whole input, a condition looks at what they return, and all of it is undone.
 */
export const undone = workflowOf("undone.v1", [
  ...unfolding,
  stepOf("unfold-5", {
    after,
    input: { $ref: `/steps/${after[0]}` },
    onlyIf: { exists: { $ref: `/steps/${after[1]}` } },
    undo,
  }),
  stepOf("refuse", { operation: "refuse", after: ["unfold-5"] }),
]);

const wideSteps = Array.from({ length: 100 }, (_, index) =>
  stepOf(`unfold-${index}`, { agent: bulkyNames[index % bulkyNames.length] ?? bulkyNames[0] }),
);

/**
 * A workflow of as many steps as there may be, each with the largest output: all of them are the
 * result.
 */
export const wide = workflowOf(
  "wide.v1",
  wideSteps,
  wideSteps.map(({ name }) => ({ $ref: `/steps/${name}` })),
);

/**
 * A step that lasts until the limit of its task has passed, and as many others as there may be,
 * which are cancelled.
 */
export const late: WorkflowDefinition = {
  ...workflowOf("late.v1", [
    stepOf("wait", {
      agent: mute,
      operation: "wait",
      startWithin: 30_000,
      completeWithin: 30_000,
    }),
    ...wideSteps.slice(1).map((step) => ({ ...step, after: ["wait"] })),
  ]),
  completeWithin: 20_000,
};
