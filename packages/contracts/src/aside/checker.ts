import { setImmediate as nextTurn } from "node:timers/promises";
import type { Json } from "@holdfast/domain";
import {
  type Checked,
  type CheckOptions,
  type CompiledSchema,
  schemaCompiler,
  tooCostly,
} from "../definition/schema-compiler.ts";
import type { JsonSchema } from "../schema/schema-keywords.ts";
import { aside, LostWork } from "./aside.ts";

/** What is known at once, or once a thread has found it. */
export type Soon<Value> = Value | Promise<Value>;

/** What a thread found about a value, and whether its process may do the same itself next time. */
export interface AsideChecked extends Checked {
  /** The least time that it took to compile the schema so far, in milliseconds of the processor. */
  readonly compileMs: number;
}

/** A thread's answer to a schema that cannot be compiled. */
export interface Uncompilable {
  readonly uncompilable: string;
}

/**
 * A schema that cannot be compiled: it fails however often, where all else that keeps a check from
 * its answer may pass.
 */
export class UncompilableSchema extends Error {}

/** Goes on with what is known at once in the same turn, and with all else once it is known. */
export const soon = <Value, Result>(
  value: Soon<Value>,
  use: (value: Value) => Soon<Result>,
): Soon<Result> => (value instanceof Promise ? value.then(use) : use(value));

/**
 * A check of values by one schema. What could keep the event loop from all else is found aside:
 * then it returns a promise. The answer is the same on both ways. Throws, or rejects, for a schema
 * that cannot be compiled.
 */
export type Checker = (value: unknown) => Soon<Checked>;

/** Opens the check of a schema. */
export type OpenChecker = (schema: JsonSchema, options: CheckOptions) => Checker;

/** A check for programs that do nothing else meanwhile: it never returns a promise. */
export const checkHere: OpenChecker = (schema, options) => {
  const { check } = schemaCompiler(options)(schema);
  return (value) => check(value);
};

/**
 * Characters of a schema, and its objects: most of them are parts, which take 0.1 ms each to
 * compile.
 */
const small = { characters: 2_000, objects: 60 };
/**
 * Milliseconds of the processor in which the thread has compiled a schema that the process may then
 * compile itself: it takes three times that where the compiler is seldom used.
 */
const usuallyBrief = 8;
/**
 * Steps that a check takes here before it is begun anew aside: 20 to 60 ns each, and up to a
 * microsecond in code that the process has not compiled yet.
 */
const stepsHere = 20_000;

/**
 * Whether a schema is compiled within 15 ms, whatever it says, in a process that has compiled few.
 */
export function isSmallSchema(schema: unknown): boolean {
  const text = JSON.stringify(schema);
  return (
    text.length <= small.characters &&
    text.split("{", small.objects + 2).length <= small.objects + 1
  );
}

/** A check for services: here it takes some milliseconds at most. */
export const checkAside: OpenChecker = (schema, options) => openAsideChecker(schema, options);

/** `checkAside` with what counts as brief. */
export const openAsideChecker = (
  schema: JsonSchema,
  options: CheckOptions,
  brief: number = usuallyBrief,
): Checker => {
  const compile = () => schemaCompiler(options)(schema);
  let compiled: CompiledSchema | undefined = isSmallSchema(schema) ? compile() : undefined;
  let isBrief = false;

  const checkInThread = async (value: Json): Promise<Checked> => {
    try {
      const found = await aside<AsideChecked | Uncompilable>("check", schema, options, value);
      if ("uncompilable" in found) throw new UncompilableSchema(found.uncompilable);
      isBrief ||= found.compileMs < brief;
      return found;
    } catch (error) {
      if (error instanceof LostWork) return { errors: [tooCostly], isTooCostly: true, steps: 0 };
      throw error;
    }
  };

  const check = (value: unknown): Soon<Checked> => {
    const found = compiled?.check(value, stepsHere);
    return found === undefined || found.isTooCostly ? checkInThread(value as Json) : found;
  };

  /** Compiles it in one turn, and checks the value in another. */
  const compileFirst = async (value: unknown): Promise<Checked> => {
    await nextTurn();
    compiled ??= compile();
    await nextTurn();
    return await check(value);
  };

  return (value) => (isBrief && compiled === undefined ? compileFirst(value) : check(value));
};
