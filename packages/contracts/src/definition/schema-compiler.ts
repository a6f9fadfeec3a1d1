import type { Json } from "@holdfast/domain";
import { Ajv, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

interface CompilerOptions {
  /** Whether a check tells everything that is wrong with a value, or only the first that it meets. */
  readonly allErrors: boolean;
  /** Whether a schema is held to the schema of schemas first. Not for schemas that were checked when they were stored. */
  readonly validateSchema: boolean;
}

type JsonSchema = { readonly [key: string]: Json };

interface Dialect {
  readonly compiler: (options: Options) => Pick<Ajv, "compile">;
  /** Knows the schema of schemas, which takes 5 ms to compile: once for each process. */
  readonly judge: () => Pick<Ajv, "validateSchema">;
}

const draft7: Dialect = dialectOf((options) => new Ajv(options));
const draft2020: Dialect = dialectOf((options) => new Ajv2020(options));

/** For schemas of our own, which are right: to compile the schema of schemas takes longer than all the rest. */
export const ofOurOwn = { meta: false, validateSchema: false } as const;

const settings: Options = {
  strict: false,
  validateFormats: false,
  logger: false,
  // What every object inherits is no field of it.
  ownProperties: true,
};

/**
 * Compiles JSON Schemas, of draft 7 or 2020-12 as their `$schema` says (draft 7 where it says nothing). What is
 * compiled lives as long as the compiler. Throws for a schema that cannot be compiled.
 */
export function schemaCompiler({
  allErrors,
  validateSchema,
}: CompilerOptions): (schema: JsonSchema) => ValidateFunction {
  const compilers = new Map<Dialect, Pick<Ajv, "compile">>();
  return (schema) => {
    const { $schema: name } = schema;
    const dialect = typeof name === "string" && name.includes("2020-12") ? draft2020 : draft7;
    if (validateSchema) void dialect.judge().validateSchema(schema, true);
    const options = { ...settings, ...ofOurOwn, allErrors };
    const compiler = compilers.get(dialect) ?? dialect.compiler(options);
    compilers.set(dialect, compiler);
    return compiler.compile(schema);
  };
}

function dialectOf(open: (options: Options) => Ajv | Ajv2020): Dialect {
  let judge: Pick<Ajv, "validateSchema"> | undefined;
  return { compiler: open, judge: () => (judge ??= open(settings)) };
}
