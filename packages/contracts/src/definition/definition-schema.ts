import {
  controlCharacters,
  definitionFormat,
  type Json,
  workflowNamePattern,
} from "@holdfast/domain";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { type TSchema, Type } from "typebox";
import { limits } from "../limits/limits.ts";
import { Payload } from "../limits/parts.ts";
import { collectionPattern } from "./collections.ts";
import { ofOurOwn } from "./schema-compiler.ts";

export const agentNamePattern = "^[a-z][a-z0-9-]{0,62}$";
export const operationNamePattern = "^[a-zA-Z][a-zA-Z0-9]{0,99}$";
/** The pattern of the names of audiences: those who may decide an approval. */
export const audiencePattern = "^[a-z][a-z0-9-]{0,62}$";

/** What may follow once the time of an approval has passed. */
export const approvalDeadlines = ["approve", "reject", "fail"] as const;

/** Timers hold no more than 2^31 - 1 ms, about 24 days. */
const milliseconds = (description: string) =>
  Type.Integer({
    minimum: 1,
    maximum: 2 ** 31 - 1,
    description: `${description} In milliseconds.`,
  });
const closed = { additionalProperties: false };
const nullable = (schema: TSchema) => Type.Unsafe({ ...schema, type: [typeOf(schema), "null"] });
const typeOf = (schema: TSchema): unknown => (schema as { readonly type?: unknown }).type;

const count = (description: string) =>
  Type.Integer({ minimum: 1, maximum: 1_000_000, description });

const Retry = Type.Object(
  {
    failures: count("The failure with this number is the last one."),
    backoff: milliseconds("The delay after the first failure; it doubles with each further one."),
    max: milliseconds("The longest delay."),
  },
  { ...closed, description: "How often a step may fail, and the delays in between." },
);

const CoolDown = nullable(
  Type.Object(
    {
      wait: milliseconds("The delay before it is tried once more."),
      times: nullable(count("How often; null: without limit.")),
    },
    { ...closed, description: "What follows the last failure before it counts; null: nothing." },
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
            description: "A code such as `hotels.full`, or all of an area: `hotels.*`.",
          }),
          retry: Type.Optional(Retry),
          coolDown: Type.Optional(CoolDown),
          onFailure: Type.Optional(onFailure),
        },
        closed,
      ),
      {
        minItems: 1,
        maxItems: 50,
        description: "Another policy for certain fault codes; what one does not say is as for any.",
      },
    ),
  );

const Policy = {
  startWithin: milliseconds("How long a request may wait for an Agent."),
  completeWithin: milliseconds("How long one attempt may take, from its start."),
  extendUpTo: Type.Optional(
    milliseconds(
      "How long an attempt may take whose handler keeps saying that it is at work; absent: `completeWithin`.",
    ),
  ),
  retry: Retry,
  coolDown: CoolDown,
};

const OnFailure = Type.Enum(["undo", "halt"], {
  description: "What a failure for good does: undoes the task, or halts it until an operator acts.",
});
const Halt = Type.Literal("halt", {
  description: "An undo that fails for good halts its task: there is nothing else to do.",
});

const operationNamed = (description: string) =>
  Type.String({ maxLength: 100, pattern: operationNamePattern, description });
const agentNamed = (description: string) =>
  Type.String({ maxLength: 63, pattern: agentNamePattern, description });
const payload = (description: string) => Type.Unsafe<Json>({ ...Payload, description });

const Undo = Type.Object(
  {
    operation: operationNamed("The operation of the same Agent that undoes the step."),
    ...Policy,
    onFailure: Halt,
    faults: faultsOf(Halt),
  },
  { ...closed, description: "What undoes the step; null: there is nothing to undo." },
);

/** A hundred years. No timer runs for as long: a wait is an instant in the store. */
const longestWait = 36_525 * 86_400_000;

const waitFor = (description: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: longestWait,
      description: `${description} In milliseconds.`,
    }),
  );

// It becomes part of pointers, keys and names of undo steps: hence the reserved characters.
const namePattern = `^[^:/#\\[\\s${controlCharacters}\\ud800-\\udfff]{1,100}$`;
const named = (description: string) =>
  Type.String({ maxLength: 100, pattern: namePattern, description });

/** What all steps have. */
const Placed = {
  name: named("Its name in the workflow: without `:`, `/`, `#`, `[` and spaces."),
  after: Type.Array(Type.String({ maxLength: 100 }), {
    maxItems: 64,
    uniqueItems: true,
    description: "The steps that must be processed or skipped before it; empty: it starts at once.",
  }),
  onlyIf: payload("A condition: the step is skipped unless it holds; null: it is never skipped."),
};

const Wait = Type.Object(
  {
    kind: Type.Literal("wait", { description: "A step that asks no Agent, and waits." }),
    ...Placed,
    for: waitFor("How long it waits. This, or `until`."),
    until: Type.Optional(
      payload("A template of the instant until which it waits, with its zone. This, or `for`."),
    ),
    atMost: waitFor("The longest that it waits, whatever `until` says; absent: any time."),
    onFailure: Type.Enum(["undo", "halt"], {
      description: "What follows if `until` is no instant: undoes the task, or halts it.",
    }),
  },
  { ...closed, description: "A step that waits for a time." },
);

const Signal = Type.Object(
  {
    kind: Type.Literal("signal", {
      description: "A step that asks no Agent, and waits for a signal.",
    }),
    ...Placed,
    signal: named("The name under which the signal is sent, as in `signals`."),
    within: nullable(
      Type.Integer({
        minimum: 1,
        maximum: longestWait,
        description: "How long it waits, in milliseconds; null: for ever.",
      }),
    ),
    onDeadline: Type.Enum(["continue", "fail"], {
      description:
        "What follows if none comes within that time: the step is done without one, or has failed.",
    }),
    late: Type.Optional(
      Type.Literal("alert", {
        description: "Alerts an operator to a signal that comes too late; absent: none is alerted.",
      }),
    ),
    onFailure: Type.Enum(["undo", "halt"], {
      description: "What follows once it has failed: undoes the task, or halts it.",
    }),
  },
  { ...closed, description: "A step that waits for a signal." },
);

const Approval = Type.Object(
  {
    kind: Type.Literal("approval", {
      description: "A step that asks no Agent, and waits for people to decide.",
    }),
    ...Placed,
    audience: Type.String({
      maxLength: 63,
      pattern: audiencePattern,
      description: "Those who may decide, such as `treasury`.",
    }),
    quorum: Type.Integer({
      minimum: 1,
      maximum: 20,
      description: "How many of them must approve. One who rejects decides alone.",
    }),
    excludesSubmitter: Type.Boolean({
      description: "Whether the principal who submitted the task may not decide.",
    }),
    excludes: Type.Array(payload("A template of the id of a principal who may not decide."), {
      maxItems: 10,
      description: "The principals, besides the submitter, who may not decide.",
    }),
    within: nullable(
      Type.Integer({
        minimum: 1,
        maximum: longestWait,
        description: "How long it waits for them, in milliseconds; null: for ever.",
      }),
    ),
    remindAfter: nullable(
      Type.Integer({
        minimum: 1,
        maximum: longestWait,
        description:
          "After how many milliseconds they are reminded, again and again; null: they are not.",
      }),
    ),
    onDeadline: Type.Enum([...approvalDeadlines], {
      description:
        "What follows if they do not decide within that time: it counts as approved or as rejected, or the step has failed.",
    }),
    show: payload("A template of what those see who decide."),
    onFailure: Type.Enum(["undo", "halt"], {
      description:
        "What follows once it has failed, as by a rejection: undoes the task, or halts it.",
    }),
  },
  { ...closed, description: "A step that waits for people to decide." },
);

const Call = Type.Object(
  {
    name: Placed.name,
    agent: agentNamed("The Agent that is asked."),
    agents: Type.Optional(
      Type.Array(agentNamed("The name of an Agent."), {
        minItems: 2,
        maxItems: 8,
        uniqueItems: true,
        description:
          "The Agents of one remote service that may take the step, `agent` first; absent: only it.",
      }),
    ),
    operation: operationNamed("What the Agent is asked to do."),
    input: payload("A template: what the Agent is given."),
    after: Placed.after,
    onlyIf: Placed.onlyIf,
    maxRequeues: Type.Optional(
      count(
        "How often in a row it may be sent again without a failure before the task halts; absent: without limit.",
      ),
    ),
    undo: nullable(Undo),
    ...Policy,
    onFailure: OnFailure,
    faults: faultsOf(OnFailure),
  },
  { ...closed, description: "A step that asks an Agent." },
);

const Remote = Type.Object(
  {
    service: agentNamed("The name of the remote service."),
    sharesKeys: Type.Optional(
      Type.Boolean({
        description:
          "Whether the service knows an idempotency key whichever of its Agents sends it; absent: false.",
      }),
    ),
  },
  { ...closed, description: "The remote service that an Agent wraps." },
);

/** A place in the input of a task (RFC 6901). */
const inputPointer = (description: string) =>
  Type.String({
    maxLength: limits.name,
    pattern: "^/input(/([^/~\\u0000-\\u001f\\ud800-\\udfff]|~[01])+)+$",
    description,
  });

const schemasOf = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Type.Object({}), { description }));

const stepsOptions = {
  minItems: 1,
  maxItems: 100,
  description: "The steps; what was done is undone in reverse order.",
};

/**
 * The outer form of a definition; templates and conditions are for those who know their meaning.
 */
export const definitionSchema = Type.Object(
  {
    format: Type.Enum([1, 2, 3, definitionFormat], {
      description:
        "The version of this notation: 4 if a step waits for people, 3 if one waits for a signal, 2 if one waits for a time.",
    }),
    name: Type.String({
      maxLength: 100,
      pattern: workflowNamePattern,
      description: "The name of the workflow with its version, such as `book-trip.v1`.",
    }),
    inputSchema: Type.Object({}, { description: "The JSON Schema of the input of a task." }),
    steps: Type.Array(Type.Union([Call, Wait, Signal, Approval]), stepsOptions),
    completeWithin: nullable(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "How many milliseconds a task may take as a whole; null: any time.",
      }),
    ),
    output: payload("A template: what a processed task results in."),
    collection: Type.Optional(
      Type.String({
        maxLength: 50,
        pattern: collectionPattern,
        description:
          "The noun at which its tasks are submitted, too: with `trips`, at `POST /v1/trips`.",
      }),
    ),
    fairness: Type.Optional(
      Type.Object(
        {
          key: inputPointer("Where in the input the key is, such as `/input/guest`."),
          weight: Type.Optional(inputPointer("Where in the input the weight is; absent: 1.")),
        },
        {
          ...closed,
          description: "What its tasks share their priority by, unless a submission says so.",
        },
      ),
    ),
    remotes: Type.Optional(
      Type.Record(Type.String({ pattern: agentNamePattern }), Remote, {
        maxProperties: 800,
        ...closed,
        description: "What its Agents wrap, by Agent; absent: a service of the Agent's own name.",
      }),
    ),
    inputs: schemasOf(
      "The JSON Schemas of what operations take, by `<agent>.<operation>`, as tasks are held to them.",
    ),
    outputs: schemasOf("The JSON Schemas of what operations return, in the same way."),
    signals: Type.Optional(
      Type.Record(Type.String({ pattern: namePattern }), Type.Object({}), {
        ...closed,
        description:
          "The JSON Schemas of what signals carry, by their names: one for each that a step waits for.",
      }),
    ),
    forms: Type.Optional(
      Type.Record(Type.String({ pattern: namePattern }), Type.Object({}), {
        ...closed,
        description:
          "The JSON Schemas of what those fill in who approve a step, by its name; a step without one asks for nothing.",
      }),
    ),
  },
  {
    ...closed,
    $id: "WorkflowDefinition",
    description:
      "A workflow as it is stored: what `defineWorkflow` makes, and `PUT /v1/workflows/{name}` takes.",
  },
);

// Compiled at its first use: that takes longer than loading half of the packages, and most
// processes check none.
let conforms: ValidateFunction | undefined;

/**
 * Compiles the form of definitions, for a process that will read some, before anything waits for
 * it.
 */
export const prepareForm = (): void => void formErrors(null);

/**
 * The same form, in which a step is held to that of its kind alone: so an error says what of it is
 * wrong.
 */
const formOfKinds = () => ({
  ...definitionSchema,
  properties: {
    ...definitionSchema.properties,
    steps: {
      ...definitionSchema.properties.steps,
      items: ofKind(
        { kind: { const: "approval" } },
        Approval,
        ofKind({ kind: { const: "signal" } }, Signal, ofKind({}, Wait, Call)),
      ),
    },
  },
});

/** Holds a step whose kind is one of these to a form, and any other to another one. */
const ofKind = (properties: object, form: object, other: object) => ({
  if: { type: "object", required: ["kind"], properties },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: form,
  else: other,
});

/** Everything that is wrong with the outer form. */
export function formErrors(json: unknown): readonly ErrorObject[] {
  conforms ??= new Ajv({ ...ofOurOwn, allErrors: true, strict: false }).compile(formOfKinds());
  if (conforms(json)) return [];
  return (conforms.errors ?? []).filter(({ keyword }) => keyword !== "if");
}
