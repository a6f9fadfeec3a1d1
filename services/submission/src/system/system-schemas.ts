import { Type } from "typebox";
import { amount, count, instant, json, named, nullable, text } from "../api/schema-parts.ts";

const processes = (description: string) =>
  Type.Array(
    Type.Object({
      instance: text("Its name, by host and process."),
      version: text("Its release."),
      slots: nullable(count("Of a Scheduler: its MAX_IN_FLIGHT.")),
      seenAt: instant("When it last said that it is there."),
    }),
    { description },
  );
const Queue = Type.Object({
  name: text("Its name."),
  ready: nullable(count("Messages that wait.")),
  unacked: nullable(count("Messages at a consumer.")),
  consumers: nullable(count("Who reads it.")),
  state: nullable(text("As RabbitMQ says it, such as `running`.")),
});
const Partition = Type.Object({
  name: text("The month, such as `2026_11`."),
  from: instant("When the month begins."),
  until: instant("When the month ends."),
  rows: amount("Of all tables of the month, as Postgres estimates it."),
  bytes: amount("With indexes."),
});

/** What the tasks run on. */
export const systemSchemas: readonly Type.TSchema[] = [
  named("System", "What the tasks run on.", {
    version: text("The release of the process that answers."),
    at: instant("When it was looked at."),
    schedulers: processes("The living ones."),
    supervisors: processes("The living ones."),
    submissions: processes("The living ones."),
    queues: nullable(
      Type.Array(Queue, { description: "By RabbitMQ's HTTP API; null: it cannot be asked." }),
    ),
    queuesNote: nullable(text("Why the queues are not known.")),
    outbox: Type.Object(
      {
        waiting: count("Counted no further than to 10,000."),
        oldestMs: nullable(amount("For how long the oldest waits, in milliseconds.")),
      },
      { description: "Notifications that are still to be sent." },
    ),
    partitions: Type.Array(Partition, { description: "The months of the state store." }),
    configuration: Type.Record(Type.String(), json("Its value; a secret is not shown."), {
      description: "The settings of the process that answers, by their names.",
    }),
  }),
];
