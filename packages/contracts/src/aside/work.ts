import type { Json, WorkflowDefinition } from "@holdfast/domain";
import { contractGaps, type Offered } from "../contract/contract-gaps.ts";
import { contractHashes } from "../contract/operation-contract.ts";
import { readingOf } from "../contract/readers.ts";
import { definitionHash, meansTheSame } from "../definition/definition-hash.ts";
import { type CheckOptions, schemaCompiler } from "../definition/schema-compiler.ts";
import { definitionFaults, refusedParts } from "../definition/validate-definition.ts";
import { valueFlow } from "../flow/value-flow.ts";
import type { JsonSchema } from "../schema/schema-keywords.ts";
import type { WorkName } from "./aside.ts";
import type { AsideChecked, Uncompilable } from "./checker.ts";
import type { JudgedDefinition } from "./judge-aside.ts";

/** Schemas that the thread keeps compiled, by their text, the one used last at the end; characters of all of them. */
const compiled = new Map<string, ReturnType<ReturnType<typeof schemaCompiler>>>();
let held = 0;
const mostHeld = 4 * 1024 * 1024;

function compile(schema: JsonSchema, options: CheckOptions) {
  const text = `${options.allErrors} ${JSON.stringify(schema)}`;
  const known = compiled.get(text);
  const one = known ?? schemaCompiler(options)(schema);
  if (known === undefined) held += text.length;
  compiled.delete(text);
  compiled.set(text, one);
  for (const oldest of compiled.keys()) {
    if (held <= mostHeld || oldest === text) break;
    compiled.delete(oldest);
    held -= oldest.length;
  }
  return { check: one.check, isNew: known === undefined };
}

/** Milliseconds of the processor that this thread has had, on a Node that knows. */
function now(): number {
  if (typeof process.threadCpuUsage !== "function") return performance.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * Work that users' schemas and values may make last for longer than an event loop may stand still, by the name under
 * which a thread is asked for it (`aside`). Arguments and results are JSON.
 */
export const work = {
  check(schema: JsonSchema, options: CheckOptions, value: Json): AsideChecked | Uncompilable {
    const before = now();
    try {
      const { check, isNew } = compile(schema, options);
      const compileMs = isNew ? now() - before : 0;
      return { ...check(value), compileMs };
    } catch (error) {
      return { uncompilable: (error as Error).message };
    }
  },
  /** All that is wrong with a definition that is to be stored. */
  faults: (json: Json) => definitionFaults(json),
  flow: (definition: WorkflowDefinition) => valueFlow(definition),
  /** What is stored beside a definition, and what keeps it from being stored. */
  judge: (definition: WorkflowDefinition): JudgedDefinition => ({
    refused: refusedParts(definition),
    hash: definitionHash(definition),
    contracts: contractHashes(definition),
  }),
  hashes: (definition: WorkflowDefinition) => contractHashes(definition),
  gaps: (asked: Offered) => contractGaps(asked),
  meansTheSame: (stored: Json, definition: WorkflowDefinition) => meansTheSame(stored, definition),
  reading: (...asked: Parameters<typeof readingOf>) => readingOf(...asked),
} as const satisfies Record<WorkName, (...args: never[]) => unknown>;
