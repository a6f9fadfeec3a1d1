import { controlCharacters, definitionFormat, workflowNamePattern } from "@holdfast/domain";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { type TSchema, Type } from "typebox";
import { limits } from "../limits/limits.ts";
import { Payload } from "../limits/parts.ts";
import { collectionPattern } from "./collections.ts";
import { ofOurOwn } from "./schema-compiler.ts";

export const agentNamePattern = "^[a-z][a-z0-9-]{0,62}$";
export const operationNamePattern = "^[a-zA-Z][a-zA-Z0-9]{0,99}$";

/** Timers hold no more than 2^31 - 1 ms, about 24 days. */
const Milliseconds = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 });
const closed = { additionalProperties: false };
const nullable = (schema: TSchema) => Type.Unsafe({ ...schema, type: [typeOf(schema), "null"] });
const typeOf = (schema: TSchema): unknown => (schema as { readonly type?: unknown }).type;

const Retry = Type.Object(
  {
    failures: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    backoff: Milliseconds,
    max: Milliseconds,
  },
  closed,
);

const CoolDown = nullable(
  Type.Object(
    { wait: Milliseconds, times: nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 })) },
    closed,
  ),
);

const faultsOf = (onFailure: TSchema) =>
  Type.Optional(
    Type.Array(
      Type.Object(
        {
          code: Type.String({
            maxLength: limits.code,
            pattern: "^[a-z][a-z0-9_-]*\\.([a-z][a-z0-9_.-]*|\\*)$",
          }),
          retry: Type.Optional(Retry),
          coolDown: Type.Optional(CoolDown),
          onFailure: Type.Optional(onFailure),
        },
        closed,
      ),
      { minItems: 1, maxItems: 50 },
    ),
  );

const Policy = {
  startWithin: Milliseconds,
  completeWithin: Milliseconds,
  extendUpTo: Type.Optional(Milliseconds),
  retry: Retry,
  coolDown: CoolDown,
};

const OnFailure = Type.Enum(["compensate", "halt"]);
const Halt = Type.Literal("halt");

const Undo = Type.Object(
  {
    operation: Type.String({ maxLength: 100, pattern: operationNamePattern }),
    ...Policy,
    onFailure: Halt,
    faults: faultsOf(Halt),
  },
  closed,
);

const Step = Type.Object(
  {
    /** It becomes part of pointers, keys and names of undo steps: hence the reserved characters. */
    name: Type.String({
      maxLength: 100,
      pattern: `^[^:/#\\[\\s${controlCharacters}\\ud800-\\udfff]{1,100}$`,
    }),
    agent: Type.String({ maxLength: 63, pattern: agentNamePattern }),
    agents: Type.Optional(
      Type.Array(Type.String({ maxLength: 63, pattern: agentNamePattern }), {
        minItems: 2,
        maxItems: 8,
        uniqueItems: true,
      }),
    ),
    operation: Type.String({ maxLength: 100, pattern: operationNamePattern }),
    input: Payload,
    after: Type.Array(Type.String({ maxLength: 100 }), { maxItems: 64, uniqueItems: true }),
    onlyIf: Payload,
    maxRequeues: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    undo: nullable(Undo),
    ...Policy,
    onFailure: OnFailure,
    faults: faultsOf(OnFailure),
  },
  closed,
);

const Remote = Type.Object(
  {
    service: Type.String({ maxLength: 63, pattern: agentNamePattern }),
    sharesKeys: Type.Optional(Type.Boolean()),
  },
  closed,
);

/** A place in the input of a task (RFC 6901). */
const InputPointer = Type.String({
  maxLength: limits.name,
  pattern: "^/input(/([^/~\\u0000-\\u001f\\ud800-\\udfff]|~[01])+)+$",
});

/** The outer form of a definition; templates and conditions are for those who know their meaning. */
export const definitionSchema = Type.Object(
  {
    format: Type.Literal(definitionFormat),
    name: Type.String({
      maxLength: 100,
      pattern: workflowNamePattern,
    }),
    inputSchema: Type.Object({}),
    steps: Type.Array(Step, { minItems: 1, maxItems: 100 }),
    completeWithin: nullable(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    output: Payload,
    collection: Type.Optional(Type.String({ maxLength: 50, pattern: collectionPattern })),
    fairness: Type.Optional(
      Type.Object({ key: InputPointer, weight: Type.Optional(InputPointer) }, closed),
    ),
    remotes: Type.Optional(
      Type.Record(Type.String({ pattern: agentNamePattern }), Remote, {
        maxProperties: 800,
        ...closed,
      }),
    ),
    inputs: Type.Optional(Type.Record(Type.String(), Type.Object({}))),
    outputs: Type.Optional(Type.Record(Type.String(), Type.Object({}))),
  },
  closed,
);

// Compiled at its first use: that takes longer than loading half of the packages, and most processes check none.
let conforms: ValidateFunction | undefined;

/** Compiles the form of definitions, for a process that will read some, before anything waits for it. */
export const prepareForm = (): void => void formErrors(null);

/** Everything that is wrong with the outer form. */
export function formErrors(json: unknown): readonly ErrorObject[] {
  conforms ??= new Ajv({ ...ofOurOwn, allErrors: true, strict: false }).compile(definitionSchema);
  return conforms(json) ? [] : (conforms.errors ?? []);
}
