import { bulkActions, bulkOutcomes, bulkStates } from "@holdfast/domain";
import { Type } from "typebox";
import { ref } from "../api/describe.ts";

const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Instant = Type.String({ format: "date-time" });
const Text = Type.String();
const Count = Type.Integer();

const BulkOperation = Type.Object(
  {
    id: Text,
    action: Type.Enum([...bulkActions]),
    step: nullable(Text),
    filter: Type.Unsafe<object>({ type: "object" }),
    actor: Text,
    reason: Text,
    at: Instant,
    state: Type.Enum([...bulkStates], {
      description:
        "`canary`: the first tasks are awaited. `running`: further ones are applied. `verifying`: all are applied, and what became of some is awaited. `done`: all have an outcome and none failed again. `failed`: some did. `stopped`: by a person, or by its canary.",
    }),
    matched: Count,
    waiting: Count,
    done: Type.Integer({ description: "Applied or refused." }),
    refused: Count,
    verified: Type.Object({ succeeded: Count, failedAgain: Count, running: Count }),
    canary: Count,
    rate: Type.Number({ description: "Tasks a second." }),
    stoppedBy: nullable(Text),
    stopReason: nullable(Text),
    endedAt: nullable(Instant),
  },
  { $id: "BulkOperation" },
);

const BulkItem = Type.Object(
  {
    taskId: Text,
    outcome: Type.Enum([...bulkOutcomes]),
    code: nullable(Text),
    step: nullable(Text),
    at: Instant,
  },
  { $id: "BulkItem" },
);

const page = ($id: string, item: string) =>
  Type.Object({ items: Type.Array(ref(item)), next: nullable(Text) }, { $id });

/** The named schemas of bulk operations. */
export const bulkSchemas: readonly Type.TSchema[] = [
  BulkOperation,
  page("BulkOperationPage", "BulkOperation"),
  BulkItem,
  page("BulkItemPage", "BulkItem"),
  Type.Object(
    {
      matches: Count,
      allowed: Count,
      refused: Type.Array(Type.Object({ reason: Text, count: Count })),
      sample: Type.Array(Text),
    },
    { $id: "BulkForecast" },
  ),
];
