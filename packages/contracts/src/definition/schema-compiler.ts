import { canonicalJson, errorText } from "@holdfast/domain";
import {
  _,
  Ajv,
  type CodeKeywordDefinition,
  type ErrorObject,
  type FuncKeywordDefinition,
  type Options,
  type ValidateFunction,
} from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { limits } from "../limits/limits.ts";
import { dialectOf } from "../schema/dialect.ts";
import { formats } from "../schema/formats.ts";
import type { LinearPattern } from "../schema/linear-pattern.ts";
import { type Meter, openMeter, TooManySteps } from "../schema/meter.ts";
import { type PlainSchema, readPlainSchema } from "../schema/plain-schema.ts";
import { type Costs, costKeyword } from "../schema/schema-costs.ts";
import { escaped, type JsonSchema } from "../schema/schema-keywords.ts";
import type { SchemaFault } from "../schema/schema-places.ts";

export interface CheckOptions {
  /**
   * Whether a check says all that is wrong with a small value, or only the first thing that it
   * meets.
   */
  readonly allErrors: boolean;
}

/** What a check has found. */
export interface Checked {
  /**
   * The errors of the value; none: it fits. In a value that is large, or takes many steps, only the
   * first error is there.
   */
  readonly errors: readonly SchemaError[];
  /**
   * The check was given up after as many steps as it might take: whether the value fits is unknown.
   */
  readonly isTooCostly: boolean;
  /** The steps that the check took: 20 ns or so each. */
  readonly steps: number;
}

export type SchemaError = Pick<ErrorObject, "instancePath" | "keyword" | "message" | "params">;

/** The JSON pointer of what is wrong: of a field that is missing, the field's own. */
export function placeOfError({ instancePath, params }: SchemaError): string {
  const { missingProperty } = params as { readonly missingProperty?: unknown };
  return typeof missingProperty === "string"
    ? `${instancePath}/${escaped(missingProperty)}`
    : instancePath;
}

export interface CompiledSchema {
  /** Checks a value in so many steps at most, `limits.checkSteps` unless said. */
  readonly check: (value: unknown, most?: number) => Checked;
  /**
   * What the schema says and the check does not look at. Schemas that are stored today have no such
   * parts.
   */
  readonly leftOut: readonly SchemaFault[];
}

/** The most steps for which all errors are looked for. */
const stepsForAllErrors = 20_000;

/**
 * Options for schemas of our own, which are right: to compile the schema of schemas takes longer
 * than all the rest.
 */
export const ofOurOwn = { meta: false, validateSchema: false } as const;

/**
 * Compiles JSON Schemas that users wrote, of draft 7 or 2020-12 (`dialectOf`). It is the only place
 * that does: whatever the schema and the value, a check ends after `limits.checkSteps`. What is
 * compiled lives as long as the compiler. Throws for a schema that cannot be compiled.
 */
export function schemaCompiler({
  allErrors,
}: CheckOptions): (schema: JsonSchema) => CompiledSchema {
  const meter = openMeter();
  const patterns = new Map<string, LinearPattern>();
  const compilers = new Map<string, Ajv>();
  const compilerOf = (schema: JsonSchema, plain: PlainSchema, wantsAll: boolean): Ajv => {
    const name = `${is2020(schema)} ${plain.tracksWhatWasSeen} ${wantsAll}`;
    const compiler =
      compilers.get(name) ?? openCompiler({ schema, plain, wantsAll, meter, patterns });
    compilers.set(name, compiler);
    return compiler;
  };
  return (schema) => {
    const plain = readPlainSchema(schema, meter);
    for (const [source, pattern] of plain.patterns) patterns.set(source, pattern);
    const first = compilerOf(schema, plain, false).compile(plain.schema);
    let all: ValidateFunction | undefined;
    const check = (value: unknown, most: number = limits.checkSteps): Checked => {
      const found = run(first, value, { meter, most });
      if (!allErrors || found.errors.length === 0 || found.steps > stepsForAllErrors) return found;
      all ??= compilerOf(schema, plain, true).compile(plain.schema);
      const more = run(all, value, { meter, most: stepsForAllErrors });
      return more.isTooCostly ? found : more;
    };
    return { check, leftOut: plain.leftOut };
  };
}

const judges = {
  draft7: judge(() => new Ajv({ ...settings, validateFormats: false })),
  draft2020: judge(() => new Ajv2020({ ...settings, validateFormats: false })),
};

/**
 * Compiles the schemas of schemas, for a process that will judge some, before anything waits for
 * it.
 */
export const prepareJudges = (): void => {
  for (const judgeOf of Object.values(judges)) void judgeOf().validateSchema({});
};

/**
 * Holds a schema to the schema of schemas: throws where it breaks that. Not for one that was stored
 * before.
 */
export function mustBeSchema(schema: JsonSchema): void {
  void (is2020(schema) ? judges.draft2020() : judges.draft7()).validateSchema(schema, true);
}

export const is2020 = (schema: JsonSchema): boolean => dialectOf(schema) === "2020-12";

/** Knows the schema of schemas, which takes 5 ms to compile: once for each process. */
function judge(open: () => Ajv): () => Ajv {
  let opened: Ajv | undefined;
  return () => (opened ??= withUniqueItems(open(), unlimited()));
}

/**
 * A meter for what is bounded already: the schema of schemas is checked against schemas of a
 * bounded size.
 */
function unlimited(): Meter {
  const meter = openMeter();
  meter.begin(Number.POSITIVE_INFINITY);
  return meter;
}

const settings: Options = {
  strict: false,
  logger: false,
  // What every object inherits is no field of it.
  ownProperties: true,
};

interface Opening {
  readonly schema: JsonSchema;
  readonly plain: PlainSchema;
  readonly wantsAll: boolean;
  readonly meter: Meter;
  readonly patterns: ReadonlyMap<string, LinearPattern>;
}

function openCompiler({ schema, plain, wantsAll, meter, patterns }: Opening): Ajv {
  const engine = (source: string): LinearPattern => patterns.get(source)!;
  const options: Options = {
    ...settings,
    ...ofOurOwn,
    allErrors: wantsAll,
    formats,
    // A part that is used often would otherwise be compiled as often.
    inlineRefs: false,
    code: {
      // Optimising takes three times as long as all else, and grows with the square of a schema.
      optimize: false,
      regExp: Object.assign(engine, { code: "linearPattern" }),
      process: wantsAll ? addErrors : addFirstError,
    },
  };
  const compiler = is2020(schema) ? new Ajv2020(options) : new Ajv(options);
  compiler.opts.unevaluated = plain.tracksWhatWasSeen;
  compiler.addKeyword(payingFor(meter));
  return withUniqueItems(compiler, meter);
}

const withUniqueItems = (compiler: Ajv, meter: Meter): Ajv =>
  compiler.removeKeyword("uniqueItems").addKeyword(uniqueItems(meter));

/**
 * The keyword `uniqueItems`, in time that grows with the text of the items. Ajv compares each item
 * with each other, unless it knows from the schema that all are texts or numbers.
 */
function uniqueItems(meter: Meter): FuncKeywordDefinition {
  const validate: FuncKeywordDefinition["validate"] = (isAsked: boolean, items: unknown[]) => {
    if (!isAsked) return true;
    const places = new Map<string, number>();
    for (const [index, item] of items.entries()) {
      const text = canonicalJson(item);
      // Objects are sorted and joined, which takes several times as long as their text.
      meter.spend(8 + text.length * (typeof item === "object" ? 3 : 1));
      const other = places.get(text);
      if (other !== undefined) {
        const message = `must NOT have duplicate items (items ## ${other} and ${index} are identical)`;
        validate!.errors = [{ keyword: "uniqueItems", message, params: { i: index, j: other } }];
        return false;
      }
      places.set(text, index);
    }
    return true;
  };
  return { keyword: "uniqueItems", type: "array", schemaType: "boolean", validate, errors: true };
}

/**
 * The code that Ajv writes for the errors of a reference: it copies all errors so far, for each
 * reference.
 */
const errorsOfReference =
  /vErrors = vErrors === null \? ([\w.]+)\.errors : vErrors\.concat\(\1\.errors\);/g;

/**
 * The code that Ajv writes to note which properties were looked at. In a schema with several parts
 * that say so, nothing may have been noted yet, which it writes as `undefined`.
 */
const noteOfProperty = /\b(props\d+)\[(\w+)\] = true;/g;

const withNotes = (code: string): string =>
  code.replace(noteOfProperty, "if (($1 ??= {}) !== true) $1[$2] = true;");

const addErrors = (code: string): string =>
  withNotes(code).replace(
    errorsOfReference,
    "if (vErrors === null) vErrors = $1.errors; else for (const error of $1.errors) vErrors.push(error);",
  );

const addFirstError = (code: string): string =>
  withNotes(code).replace(
    errorsOfReference,
    "if (vErrors === null) vErrors = $1.errors; else vErrors.push($1.errors[0]);",
  );

/** The keyword by which each part of a schema counts on the meter, before it looks at a value. */
function payingFor(meter: Meter): CodeKeywordDefinition {
  return {
    keyword: costKeyword,
    schemaType: "object",
    before: "$ref",
    code({ gen, data, schema }) {
      const costs = schema as Costs;
      const pay = gen.scopeValue("func", {
        ref: (value: unknown) => meter.spend(costs.always + costOf(costs, value)),
      });
      gen.code(_`${pay}(${data})`);
    },
  };
}

/** Characters of a name of a property. Ajv looks through the name for each error below it. */
const usualName = 200;

/** What the size of a value adds to the costs of a part. */
function costOf({ perItem, perKey, perCharacter }: Costs, value: unknown): number {
  if (typeof value === "string") return value.length * perCharacter;
  if (typeof value !== "object" || value === null) return 0;
  if (Array.isArray(value)) return value.length * perItem;
  if (perKey === 0) return 0;
  const keys = Object.keys(value);
  return keys.reduce(
    (sum, { length }) => sum + Math.max(0, length - usualName) ** 2,
    keys.length * perKey,
  );
}

interface Running {
  readonly meter: Meter;
  readonly most: number;
}

function run(validate: ValidateFunction, value: unknown, { meter, most }: Running): Checked {
  meter.begin(most);
  try {
    const errors = validate(value) ? [] : (validate.errors ?? []);
    return { errors, isTooCostly: false, steps: meter.spent };
  } catch (error) {
    // A part that refers to itself for the same value ends with the stack.
    const isTooCostly = error instanceof TooManySteps || error instanceof RangeError;
    const errors = [isTooCostly ? tooCostly : uncheckable(error)];
    return { errors, isTooCostly, steps: meter.spent };
  }
}

/** The code of a check that throws is at fault, and not the process that runs it. */
const uncheckable = (error: unknown): SchemaError => ({
  instancePath: "",
  keyword: "uncheckable",
  message: `cannot be checked by this schema (${errorText(error)}): give it a simpler one`,
  params: {},
});

/** What is said of a value that is not taken since its check was given up. */
export const tooCostly: SchemaError = {
  instancePath: "",
  keyword: costKeyword,
  message: `takes more than ${limits.checkSteps.toLocaleString("en")} steps to check: send less of it, or give it a simpler schema`,
  params: {},
};
