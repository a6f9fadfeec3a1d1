import { Type } from "typebox";
import type { Codes } from "./codes.ts";
import { count, text } from "./schema-parts.ts";

/** A named schema of the OpenAPI document. */
export const ref = (name: string, options: { readonly description?: string } = {}) =>
  Type.Unsafe<unknown>({ $ref: `${name}#`, ...options });

const problem = (description: string, names: readonly HeaderName[]) => ({
  description,
  headers: headersOf(names),
  content: { "application/problem+json": { schema: ref("Problem") } },
});

/** Headers of answers that say something about the task or the request. */
const headers = {
  "x-request-id": text("Names the request, as it did itself or anew."),
  location: text("The path of what was made."),
  etag: text(
    "The version of the task in quotes, for If-Match. Weak where the answer is compressed.",
  ),
  "retry-after": count("Seconds after which to ask again."),
  "idempotency-replayed": text("`true`: the key was used before, for what the answer is about."),
  "preference-applied": text("How long the answer waited at most, as Prefer asked for."),
  "www-authenticate": text("Of 401: how to show a token, by RFC 6750."),
} as const;
type HeaderName = keyof typeof headers;

const headersOf = (names: readonly HeaderName[]) =>
  Object.fromEntries((["x-request-id", ...names] as const).map((name) => [name, headers[name]]));

interface Answer {
  readonly words: string;
  readonly schema?: unknown;
  /** Besides `x-request-id`. */
  readonly headers?: readonly HeaderName[];
  /** JSON unless said otherwise. */
  readonly mediaType?: string;
}

/** The answer of a route that streams events, which have schemas of these names. */
export const eventStream = (names: readonly string[]): Answer => ({
  words: "A stream of events.",
  schema: Type.Array(Type.Union(names.map((name) => ref(name))), {
    description: "Server-Sent Events, one after the other: the data of each is one line of JSON.",
  }),
  mediaType: "text/event-stream",
});

interface Description {
  /** Unique among all routes: clients name their methods after it. */
  readonly id: string;
  readonly tag:
    | "tasks"
    | "approvals"
    | "collections"
    | "workflows"
    | "agents"
    | "remotes"
    | "bulk"
    | "statistics"
    | "service";
  /** One sentence. */
  readonly summary: string;
  readonly description?: string;
  /** What it answers when all is well, by status: a schema, or words where there is no body. */
  readonly answers: Readonly<Record<string, Answer>>;
  /** The codes with which it refuses, besides those that follow from what it is. */
  readonly codes?: Codes;
  /** Needs no token. */
  readonly isOpen?: boolean;
  /** Who may ask, where it is not operators alone: `either` is principals and operators. */
  readonly isFor?: "principals" | "either";
}

/**
 * The part of a route's schema that says what it is, for the OpenAPI document. Answers are not
 * checked by it.
 */
export const describe = ({
  id,
  tag,
  summary,
  description,
  answers,
  codes = {},
  isOpen,
  isFor,
}: Description) => ({
  operationId: id,
  tags: [tag],
  summary:
    isOpen === true || isFor !== undefined
      ? summary
      : `Operators: ${summary[0]?.toLowerCase()}${summary.slice(1)}`,
  ...(description === undefined ? {} : { description }),
  "x-codes": codes,
  security: isOpen === true ? [] : securityFor(isFor),
  response: {
    ...Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, answerSchema(answer)]),
    ),
    "4xx": problem("The request is refused: `code` says why, and stays as it is.", [
      "retry-after",
      "www-authenticate",
    ]),
    "5xx": problem("It could not be done now: `retryable` says whether it may be later.", [
      "retry-after",
    ]),
  },
});

const securityFor = (
  isFor: Description["isFor"],
): readonly Readonly<Record<string, readonly string[]>>[] => [
  ...(isFor === undefined ? [] : [{ principal: [] }]),
  ...(isFor === "principals" ? [] : [{ operatorToken: [] }]),
];

const answerSchema = ({
  words: description,
  schema,
  headers: names = [],
  mediaType = "application/json",
}: Answer) => ({
  description,
  headers: headersOf(names),
  ...(schema === undefined ? { type: "null" } : { content: { [mediaType]: { schema } } }),
});
