import type { WorkflowDefinition } from "@holdfast/domain";
import { baitAgent, baitPolicy } from "./bait.ts";
import { type Dice, diceOf } from "./dice.ts";
import { type HostileSchema, hostileSchema } from "./hostile-schema.ts";
import { json } from "./hostile-search.ts";
import type { DecisionContext, HostileRequest } from "./input.ts";

/** How many versions there are: each is stored, and then checked against, some times. */
const versions = 400;
const family = "probe";
/** The seed of schemas, with dice that no run has. */
const seedOfSchemas = 0x5c4e;

/**
 * The schema of a version, and the value that is expensive to check against it: always the same.
 */
export const schemaOfVersion = (version: number): HostileSchema =>
  hostileSchema(diceOf(seedOfSchemas, version));

/**
 * A workflow of a step of the hostile Agent: a hostile schema says what it is given, and what the
 * Agent returns.
 */
export function hostileDefinition(version: number): WorkflowDefinition {
  const { schema } = schemaOfVersion(version);
  return {
    format: 1,
    name: `${family}.v${version}`,
    inputSchema: schema,
    outputs: { [`${baitAgent}.take`]: schema },
    completeWithin: null,
    steps: [
      {
        ...baitPolicy,
        name: "first",
        agent: baitAgent,
        operation: "take",
        input: { version },
        after: [],
        onlyIf: null,
        undo: null,
      },
    ],
    output: null,
  };
}

/**
 * Stores a workflow with a hostile schema, or submits a task of it with a value that is expensive
 * to check.
 */
export function hostileSchemaInput(dice: Dice, { operatorToken }: DecisionContext): HostileRequest {
  const version = dice.between(1, versions);
  const common = { kind: "request", method: "POST", manner: "whole" } as const;
  const { kind, value } = schemaOfVersion(version);
  if (dice.oneIn(3)) {
    return {
      ...common,
      target: "PUT hostile schema",
      service: "operations",
      changes: [kind],
      method: "PUT",
      path: `/v1/workflows/${family}.v${version}`,
      headers: { ...json, authorization: `Bearer ${operatorToken}` },
      body: Buffer.from(JSON.stringify(hostileDefinition(version))),
    };
  }
  return {
    ...common,
    target: "POST task of a hostile schema",
    service: "submission",
    changes: [kind],
    path: "/v1/tasks?allowUnknownAgents=true",
    headers: json,
    body: Buffer.from(JSON.stringify({ workflow: `${family}.v${version}`, input: value })),
  };
}

/**
 * What the hostile Agent returns to a step of such a workflow; undefined: the step is of another.
 */
export function hostileOutput(input: unknown): unknown {
  if (typeof input !== "object" || input === null || !("version" in input)) return undefined;
  return schemaOfVersion(Number(input.version)).value;
}
