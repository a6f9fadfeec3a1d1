import type { Json, WorkflowDefinition } from "@holdfast/domain";
import { contractGaps, type Offered } from "../contract/contract-gaps.ts";
import { contractHashes } from "../contract/operation-contract.ts";
import { readingOf } from "../contract/readers.ts";
import { definitionHash, meansTheSame } from "../definition/definition-hash.ts";
import {
  type CheckOptions,
  type CompiledSchema,
  schemaCompiler,
} from "../definition/schema-compiler.ts";
import { definitionFaults, refusedParts } from "../definition/validate-definition.ts";
import { valueFlow } from "../flow/value-flow.ts";
import type { JsonSchema } from "../schema/schema-keywords.ts";
import type { WorkName } from "./aside.ts";
import type { AsideChecked, Uncompilable } from "./checker.ts";
import type { JudgedDefinition } from "./judge-aside.ts";

/** A schema that the thread keeps compiled. */
interface Compiled {
  readonly check: CompiledSchema["check"];
  /**
   * The least time that it took to compile it, in milliseconds of the processor, and how often that
   * was tried.
   */
  readonly compileMs: number;
  readonly tries: number;
}

/** Schemas by their text, the one used last at the end; characters of all of them. */
const compiled = new Map<string, Compiled>();
let held = 0;
const mostHeld = 4 * 1024 * 1024;
/**
 * A thread that has just begun takes a multiple of its later time: the third try says what a schema
 * takes.
 */
const mostTries = 3;

function compile(schema: JsonSchema, options: CheckOptions): Compiled {
  const text = `${options.allErrors} ${JSON.stringify(schema)}`;
  const known = compiled.get(text);
  const one =
    known === undefined || known.tries < mostTries ? timed(schema, options, known) : known;
  if (known === undefined) held += text.length;
  compiled.delete(text);
  compiled.set(text, one);
  for (const oldest of compiled.keys()) {
    if (held <= mostHeld || oldest === text) break;
    compiled.delete(oldest);
    held -= oldest.length;
  }
  return one;
}

function timed(schema: JsonSchema, options: CheckOptions, known: Compiled | undefined): Compiled {
  const before = now();
  const { check } = schemaCompiler(options)(schema);
  const compileMs = Math.min(now() - before, known?.compileMs ?? Number.POSITIVE_INFINITY);
  return { check, compileMs, tries: (known?.tries ?? 0) + 1 };
}

/** Milliseconds of the processor that this thread has had, on a Node that knows. */
function now(): number {
  if (typeof process.threadCpuUsage !== "function") return performance.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * Work that users' schemas and values may make last for longer than an event loop may stand still,
 * by the name under which a thread is asked for it (`aside`). Arguments and results are JSON.
 */
export const work = {
  check(schema: JsonSchema, options: CheckOptions, value: Json): AsideChecked | Uncompilable {
    try {
      const { check, compileMs } = compile(schema, options);
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
  hash: (definition: WorkflowDefinition) => definitionHash(definition),
  hashes: (definition: WorkflowDefinition) => contractHashes(definition),
  gaps: (asked: Offered) => contractGaps(asked),
  meansTheSame: (stored: Json, definition: WorkflowDefinition) => meansTheSame(stored, definition),
  reading: (...asked: Parameters<typeof readingOf>) => readingOf(...asked),
} as const satisfies Record<WorkName, (...args: never[]) => unknown>;
