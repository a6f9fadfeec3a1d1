import { Type } from "typebox";
import { taskStates } from "../search/task-states.ts";
import { ref } from "./describe.ts";
import { count, instant, named, nullable, text } from "./schema-parts.ts";

const place = Type.Optional(text("Where to go on after it: sent back as Last-Event-ID."));

/** An event of a stream: its name, and the data that are its line of JSON. */
const event = ($id: string, name: string, description: string, data: Type.TSchema) =>
  named($id, description, {
    id: place,
    event: Type.Literal(name, { description: "The name of the event." }),
    data,
  });

/** The named schemas of what streams send. */
export const eventSchemas: readonly Type.TSchema[] = [
  event(
    "MovedEvent",
    "moved",
    "A move of the task or of one of its steps.",
    ref("HistoryEntry", { description: "The entry of the history." }),
  ),
  event(
    "TaskEvent",
    "task",
    "The task as it stands, after it has changed.",
    ref("Task", { description: "As the route that shows the task answers." }),
  ),
  event(
    "EndEvent",
    "end",
    "The last event: the task has ended, or was deleted.",
    Type.Object(
      {
        id: text("Of the task."),
        state: nullable(Type.Enum([...taskStates], { description: "Null: it was deleted." })),
      },
      { description: "How it ended." },
    ),
  ),
  event(
    "ChangedEvent",
    "changed",
    "Tasks that have changed since the last such event; sent once a second at most.",
    Type.Object(
      {
        tasks: Type.Array(
          Type.Object({
            id: text("Of the task."),
            workflow: text("With its version."),
            state: Type.Enum([...taskStates], { description: "Where it stands." }),
            version: count("Rises with each change."),
            updatedAt: instant("When it last changed."),
          }),
          { maxItems: 200, description: "As they are now, the latest first." },
        ),
        more: count("How many have changed besides."),
      },
      { description: "Which tasks." },
    ),
  ),
  event(
    "TickEvent",
    "tick",
    "How the system is; sent every two seconds.",
    Type.Object(
      {
        at: instant("When it was looked at."),
        overview: ref("Overview", { description: "How it was then." }),
      },
      { description: "As `GET /v1/overview` answers." },
    ),
  ),
];
