import { Type } from "typebox";
import { Instant, Json, named, nullable, Text } from "../api/schema-parts.ts";

const Count = Type.Integer();
const Process = Type.Object({
  instance: Text,
  version: Text,
  slots: nullable(Count),
  seenAt: Instant,
});
const Queue = Type.Object({
  name: Text,
  ready: nullable(Count),
  unacked: nullable(Count),
  consumers: nullable(Count),
  state: nullable(Text),
});
const Partition = Type.Object({
  name: Text,
  from: Instant,
  until: Instant,
  rows: Type.Number({ description: "Of all tables of the month, as Postgres estimates it." }),
  bytes: Type.Number({ description: "With indexes." }),
});

/** What the tasks run on. */
export const systemSchemas: readonly Type.TSchema[] = [
  named("System", {
    version: Text,
    at: Instant,
    schedulers: Type.Array(Process),
    supervisors: Type.Array(Process),
    submissions: Type.Array(Process),
    queues: nullable(Type.Array(Queue)),
    queuesNote: nullable(Text),
    outbox: Type.Object({
      waiting: Type.Integer({ description: "Counted no further than to 10,000." }),
      oldestMs: nullable(Type.Number()),
    }),
    partitions: Type.Array(Partition),
    configuration: Type.Record(Text, Json),
  }),
];
