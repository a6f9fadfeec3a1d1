import { limits } from "@holdfast/contracts";
import { durationPattern, taskStates } from "@holdfast/domain";
import { type TSchema, Type } from "typebox";

const closed = { additionalProperties: false };
const optional = Type.Optional;

const duration = (description: string) => Type.String({ pattern: durationPattern, description });

const timed = {
  advance: optional(
    duration("So much virtual time passes first; the handler says meanwhile that it is at work."),
  ),
  times: optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 1_000 }), Type.Literal("always")], {
      description: "How many calls in a row do this. 1 unless said otherwise.",
    }),
  ),
};

const behaviour = (properties: Readonly<Record<string, TSchema>>, description: string) =>
  Type.Object({ ...properties, ...timed }, { ...closed, description });

/** A fault that says when to come back, and that it is not to be tried again. */
const permanentThatPaces = {
  properties: { transient: { const: false } },
  required: ["transient", "retryAfter"],
};

const code = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });
const anyJson = (description: string) => Type.Unsafe({ description });

const Behaviour = Type.Union([
  behaviour({ reply: anyJson("What the handler returns.") }, "The handler returns."),
  behaviour(
    { decline: code("A code, area.what.") },
    "A permanent fault without effect: the business says no.",
  ),
  behaviour(
    {
      fail: Type.Union([
        code("The code of a transient fault."),
        Type.Object(
          {
            code: code("A code, area.what."),
            message: optional(Type.String({ maxLength: limits.words })),
            transient: optional(Type.Boolean({ description: "True unless said otherwise." })),
            effect: optional(
              Type.Union([Type.Literal("none"), Type.Literal("unknown")], {
                description: "unknown unless said otherwise.",
              }),
            ),
            retryAfter: optional(
              duration("The remote service asks for so much time; only of a transient fault."),
            ),
          },
          { ...closed, not: permanentThatPaces },
        ),
      ]),
    },
    "The handler throws.",
  ),
  behaviour({ silence: Type.Literal(true) }, "The handler is called, and no reply comes."),
  behaviour(
    {
      late: anyJson("What the handler returns."),
      by: optional(duration("After the deadline of its attempt; 1s unless said otherwise.")),
    },
    "The reply arrives after the deadline.",
  ),
  behaviour(
    { crash: Type.Literal(true) },
    "The Agent dies after the effect and before its reply. The next entry answers the same request again.",
  ),
]);

const Signal = Type.Object(
  {
    name: Type.String({ minLength: 1, description: "The name under which a step waits for it." }),
    after: duration("So much virtual time after the submission."),
    payload: anyJson("What it carries."),
    id: optional(
      Type.String({ minLength: 1, description: "Its id; one of its own unless said otherwise." }),
    ),
    times: optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: "How many times it is sent. 1 unless said otherwise.",
      }),
    ),
    refused: optional(
      code("The code with which it is refused, such as signal.too_late; absent: it is accepted."),
    ),
  },
  closed,
);

const Decision = Type.Object(
  {
    step: Type.String({ minLength: 1, description: "The step that is decided." }),
    by: Type.String({
      minLength: 1,
      description: "The id of who decides, whom the case takes for one of the audience.",
    }),
    decision: Type.Enum(["approve", "reject"]),
    after: duration("So much virtual time after the submission."),
    reason: optional(
      Type.String({
        minLength: 1,
        maxLength: limits.words,
        description: "Why; needed to reject, and may be said to approve.",
      }),
    ),
    form: optional(anyJson("What is filled in, by the form of the step; only to approve.")),
    times: optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: "How many times it is sent. 1 unless said otherwise.",
      }),
    ),
    refused: optional(
      code("The code with which it is refused, such as approval.excluded; absent: it counts."),
    ),
  },
  {
    ...closed,
    anyOf: [
      { properties: { decision: { const: "approve" } } },
      { required: ["reason"], not: { required: ["form"] } },
    ],
  },
);

const names = (description: string) =>
  optional(Type.Array(Type.String(), { maxItems: 10_000, description }));

const StepExpectation = Type.Object(
  {
    state: optional(Type.String()),
    attempts: optional(Type.Integer({ minimum: 0 })),
    failures: optional(Type.Integer({ minimum: 0 })),
    faultCode: optional(Type.Union([Type.String(), Type.Null()])),
    output: optional(anyJson("What its handler returned.")),
  },
  closed,
);

/** The JSON Schema of a file of a case, for editors: `readCase` says what is wrong in words. */
export const caseSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "A case of a Holdfast workflow",
  ...Type.Object(
    {
      $schema: optional(Type.String()),
      name: Type.String({ minLength: 1, description: "What happens, as a sentence." }),
      workflow: Type.String({
        minLength: 1,
        description:
          "A name such as book-trip.v1, book-trip for its newest version, or a path beside this file.",
      }),
      input: anyJson("What the task is submitted with."),
      steps: optional(
        Type.Record(Type.String(), Type.Array(Behaviour, { maxItems: 1_000 }), {
          description:
            "By step, or <step>:undo: what its calls do, one after the other. All others succeed.",
        }),
      ),
      signals: optional(
        Type.Array(Signal, { maxItems: 1_000, description: "What is sent to the task meanwhile." }),
      ),
      submittedBy: optional(
        Type.String({
          minLength: 1,
          description: "The id of who submits the task; one of its own unless said otherwise.",
        }),
      ),
      decisions: optional(
        Type.Array(Decision, {
          maxItems: 1_000,
          description: "What people decide about steps of the task meanwhile.",
        }),
      ),
      cancelAfter: optional(
        duration(
          "An operator cancels the task after so much virtual time, such as while a step waits.",
        ),
      ),
      expect: Type.Object(
        {
          state: optional(Type.Enum([...taskStates])),
          faultCode: optional(Type.Union([Type.String(), Type.Null()])),
          output: optional(anyJson("The result of the task.")),
          calls: names("The steps whose handlers are called, in order, each time that one is."),
          undos: names("The steps whose undos are called, in order."),
          steps: optional(Type.Record(Type.String(), StepExpectation)),
          within: optional(duration("In how much virtual time the task must have ended; 1d.")),
        },
        { ...closed, minProperties: 1 },
      ),
    },
    closed,
  ),
};
