import { fairnessLimits, type Json, printablePattern, priorities } from "@holdfast/domain";
import { type Static, type TSchema, Type } from "typebox";
import { limits } from "../limits/limits.ts";
import { FairnessKey, Payload } from "../limits/parts.ts";

const closed = { additionalProperties: false };

/** Names of labels. */
export const labelNamePattern = `^[A-Za-z0-9][A-Za-z0-9_./-]{0,${limits.labelName - 1}}$`;

const Fairness = Type.Object(
  {
    key: Type.Optional(
      Type.Unsafe<string>({ ...FairnessKey, description: "By what the task shares its band." }),
    ),
    weight: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: fairnessLimits.weight,
        description: `How many shares of its band the key has: 1 to ${fairnessLimits.weight}.`,
      }),
    ),
  },
  {
    ...closed,
    description: "By what the task shares its priority with others; else as the workflow says.",
  },
);
const Labels = Type.Record(
  Type.String({ pattern: labelNamePattern }),
  Type.String({ minLength: 1, maxLength: limits.label, pattern: printablePattern }),
  { ...closed, maxProperties: limits.labels, description: "By what the task is found." },
);

/**
 * A task as it is asked for. Each way in maps to it: the body of `POST /v1/tasks` has this shape,
 * headers of a collection and of a message are mapped by `askedInHeaders`, a row by `askedInRow`.
 * `readSubmission` of the state store has all rules that are not about its shape.
 */
export const Submission = Type.Object(
  {
    workflow: Type.String({
      minLength: 1,
      maxLength: limits.name,
      description: "With its version, or without: then the active one.",
    }),
    input: Type.Unsafe<Json>({ ...Payload, description: "The input of the workflow." }),
    priority: Type.Optional(
      Type.Enum([...priorities], {
        description: `Which steps are claimed first, in the order ${priorities.join(", ")}; normal unless said otherwise.`,
      }),
    ),
    fairness: Type.Optional(Fairness),
    key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.property,
        description: "The business's own name: at most one open task of the workflow has it.",
      }),
    ),
    labels: Type.Optional(Labels),
    notBefore: Type.Optional(
      Type.String({
        maxLength: limits.instant,
        description:
          "When the first steps become due: an instant with its zone, or a time from now by the clock of the state store, such as +1h.",
      }),
    ),
    replyTo: Type.Optional(
      Type.String({ maxLength: limits.property, description: "Your own queue for its status." }),
    ),
    correlationId: Type.Optional(
      Type.String({
        maxLength: limits.property,
        description: "What the notifications of the task carry.",
      }),
    ),
    idempotencyKey: Type.Optional(
      Type.String({
        maxLength: limits.property,
        description: "The same key stands for the same task while it is kept.",
      }),
    ),
  },
  closed,
);
export type Submission = Static<typeof Submission>;

/** The fields of a submission before they have been checked: each may be anything. */
export type AskedSubmission = { readonly [Field in keyof Submission]?: unknown };

/**
 * Headers, of HTTP and of messages alike, for fields that their bodies do not have. HTTP and AMQP
 * have their own ones for the status queue, the correlation id and the idempotency key.
 */
export const submissionHeaders = {
  // `Priority` is taken: browsers and proxies send one of RFC 9218.
  priority: "task-priority",
  fairnessKey: "fairness-key",
  fairnessWeight: "fairness-weight",
  key: "task-key",
  labels: "task-labels",
  notBefore: "not-before",
} as const;

type HeaderField = keyof typeof submissionHeaders;
type HeaderName = (typeof submissionHeaders)[HeaderField];
/** Fields that a header has as a whole. Fairness has two headers, for its parts. */
type WholeField = Exclude<HeaderField, "fairnessKey" | "fairnessWeight">;

/** What these headers ask for. Labels and numbers are texts there. */
export function askedInHeaders(
  header: (name: HeaderName) => unknown,
): Pick<AskedSubmission, WholeField | "fairness"> {
  const { fairnessKey, fairnessWeight, ...whole } = submissionHeaders;
  const [key, weight] = [header(fairnessKey), header(fairnessWeight)];
  const fields = Object.entries(whole).map(([field, name]) => [field, header(name)]);
  return {
    ...(Object.fromEntries(fields) as Record<WholeField, unknown>),
    fairness: key === undefined && weight === undefined ? undefined : { key, weight },
  };
}

/** What each header of a submission may be, by its name: as its field, but labels are one text. */
export const submissionHeaderSchemas = ((): Readonly<Record<HeaderName, TSchema>> => {
  const { key: fairnessKey, weight: fairnessWeight } = Fairness.properties;
  const labels = Type.String({
    description: "By what the task is found, such as region=eu,guest=ada, encoded as in a URL.",
  });
  const fields: Readonly<Record<HeaderField, TSchema>> = {
    ...Submission.properties,
    fairnessKey,
    fairnessWeight,
    labels,
  };
  return Object.fromEntries(
    Object.entries(submissionHeaders).map(([field, name]) => [name, fields[field as HeaderField]]),
  ) as Record<HeaderName, TSchema>;
})();

/**
 * What a row asks for. Null is absent there, but for the input: SQL builds objects with all their
 * fields.
 */
export const askedInRow = (row: Readonly<Record<string, Json>>): AskedSubmission =>
  Object.fromEntries(
    Object.entries(row).filter(([field, value]) => value !== null || field === "input"),
  );
