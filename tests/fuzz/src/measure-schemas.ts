import {
  compileInput,
  definitionChecks,
  type InputCheck,
  schemaCompiler,
  valueFlow,
} from "@holdfast/contracts";
import { hostileDefinition, schemaOfVersion } from "./inputs/hostile-schema-input.ts";

/** The most that something took of any schema. */
interface WorstSchema {
  readonly ms: number;
  /** The time as a multiple of that of a check that follows a pattern. */
  readonly ratio: number;
  readonly version: number;
  readonly kind: string;
}

export interface SchemaFigures {
  readonly schemas: number;
  /** Milliseconds in which a pattern is followed for as many steps as a check has. */
  readonly allStepsMs: number;
  /**
   * What takes longest in one turn of an event loop each: a piece of what storing does, compiling,
   * and the first check of a value.
   */
  readonly worst: Readonly<Record<Piece, WorstSchema>>;
}

type Piece = "store" | "compile" | "check";

/**
 * Tries of which the best counts for what is timed, more while it takes long: what another process
 * does meanwhile is no property of a schema.
 */
const tries = { least: 4, most: 16 };
/** Pieces in which a definition with two schemas is checked, and the end. */
const mostPieces = 8;

/** Times generated schemas, and the checks of their values, from this version on. */
export function measureSchemas({
  from,
  count,
}: {
  readonly from: number;
  readonly count: number;
}): SchemaFigures {
  const allStepsMs = timeOfAllSteps();
  const none = { ms: 0, ratio: 0, version: 0, kind: "" };
  const worst: Record<Piece, WorstSchema> = { store: none, compile: none, check: none };
  for (let version = from; version < from + count; version += 1) {
    const { kind } = schemaOfVersion(version);
    for (const [piece, ms] of timesOf(version, allStepsMs)) {
      if (ms > worst[piece].ms) worst[piece] = { ms, ratio: ms / allStepsMs, version, kind };
    }
  }
  return { schemas: count, allStepsMs, worst };
}

function timeOfAllSteps(): number {
  const { check } = schemaCompiler({ allErrors: false })({ pattern: "b$" });
  const text = "a".repeat(500_000);
  return Math.min(...Array.from({ length: 5 }, () => timeOf(() => check(text))));
}

/** Each turn of the event loop that a schema takes, at best. */
function timesOf(version: number, enough: number): readonly (readonly [Piece, number])[] {
  const { schema, value } = schemaOfVersion(version);
  const definition = hostileDefinition(version);
  const best: [Piece, number][] = [];
  for (let tried = 1; tried <= tries.most; tried += 1) {
    const checks = definitionChecks(definition);
    let turn = 0;
    const time = (piece: Piece, work: () => unknown): void => {
      const ms = timeOf(work);
      best[turn] = [piece, Math.min(ms, best[turn]?.[1] ?? ms)];
      turn += 1;
    };
    // The first piece looks at the whole, each of the others at one of the two schemas.
    let isSound = true;
    for (let left = mostPieces; left > 0; left -= 1) {
      time("store", () => {
        const { done, value: faults } = checks.next();
        isSound &&= done === true || faults.length === 0;
      });
    }
    time("store", () => isSound && valueFlow(definition));
    let check: InputCheck | null = null;
    time("compile", () => (check = compiled(schema)));
    time("check", () => check?.(value));
    const longest = Math.max(...best.map(([, ms]) => ms));
    if (longest < enough || (tried >= tries.least && longest < 6 * enough)) break;
  }
  return best;
}

/** The check that a schema compiles to; null: it is no schema. */
function compiled(schema: Parameters<typeof compileInput>[0]): InputCheck | null {
  try {
    return compileInput(schema);
  } catch {
    return null;
  }
}

/**
 * Processor time, in milliseconds: of a short time the kernel knows the sum, and guesses how much
 * of it was the user's.
 */
function timeOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
