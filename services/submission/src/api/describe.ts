import { Type } from "typebox";
import type { Door } from "../doors.ts";

/** A named schema of the OpenAPI document. */
export const ref = (name: string) => Type.Unsafe<unknown>({ $ref: `${name}#` });

const problem = (description: string) => ({
  description,
  content: { "application/problem+json": { schema: ref("Problem") } },
});

interface Answer {
  readonly words: string;
  readonly schema?: unknown;
  /** JSON unless said otherwise. */
  readonly mediaType?: string;
}

/** The answer of a route that streams events. */
export const eventStream: Answer = {
  words: "A stream of events.",
  schema: Type.String(),
  mediaType: "text/event-stream",
};

interface Description {
  /** Unique among all routes: clients name their methods after it. */
  readonly id: string;
  readonly tag:
    | "tasks"
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
  /** Needs no token. */
  readonly isOpen?: boolean;
}

/** The part of a route's schema that says what it is, for the OpenAPI document. Answers are not checked by it. */
export const describe = ({ id, tag, summary, description, answers, isOpen }: Description) => ({
  operationId: id,
  tags: [tag],
  summary: isOpen === true ? summary : `Operators: ${summary[0]?.toLowerCase()}${summary.slice(1)}`,
  ...(description === undefined ? {} : { description }),
  security: isOpen === true ? [] : [{ operatorToken: [] }],
  response: {
    ...Object.fromEntries(
      Object.entries(answers).map(([status, { words, schema, mediaType = "application/json" }]) => [
        status,
        schema === undefined
          ? { description: words, type: "null" }
          : { description: words, content: { [mediaType]: { schema } } },
      ]),
    ),
    "4xx": problem("The request is refused: `code` says why, and stays as it is."),
    "5xx": problem("It could not be done now: send the same request again."),
  },
});

/** Describes a route that each door has. */
export const describeAt = (door: Door, description: Omit<Description, "tag">) =>
  describe({
    ...description,
    id: door.isOfCollection ? `${description.id}OfCollection` : description.id,
    tag: door.isOfCollection ? "collections" : "tasks",
  });

/** The schema of a task at a door. */
export const taskAt = (door: Door) => ref(door.isOfCollection ? "CollectionTask" : "Task");
