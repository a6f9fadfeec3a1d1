import { bulkActions, bulkOutcomes, bulkStates } from "@holdfast/domain";
import { Type } from "typebox";
import { ref } from "../api/describe.ts";
import { examples } from "../api/examples.ts";
import { amount, count, instant, nullable, page, text, texts } from "../api/schema-parts.ts";

const BulkOperation = Type.Object(
  {
    id: text("Its number."),
    action: Type.Enum([...bulkActions], { description: "What is done to each task." }),
    step: nullable(text("To which step of each task; null: the one that failed, or the task.")),
    patch: nullable(
      Type.Array(Type.Object({}), {
        description:
          "How the input of each resubmitted step is changed (RFC 6902); null: it stays as it is.",
      }),
    ),
    filter: Type.Unsafe<object>({
      type: "object",
      description: "That of a search: by which the tasks were chosen.",
    }),
    actor: text("Who created it."),
    reason: text("Why."),
    at: instant("When it was created."),
    state: Type.Enum([...bulkStates], {
      description:
        "`canary`: the first tasks are awaited. `running`: further ones are applied. `verifying`: all are applied, and what became of some is awaited. `done`: all have an outcome and none failed again. `failed`: some did. `stopped`: by a person, or by its canary.",
    }),
    matched: count("How many tasks were chosen."),
    waiting: count("How many are still to come."),
    done: count("Applied or refused."),
    refused: count("To how many it could not be applied."),
    verified: Type.Object(
      {
        succeeded: count("Ended as the action intends, or got beyond the failure."),
        failedAgain: count("Failed at the same step once more, or were undone instead."),
        running: count("Of which nothing is known yet."),
      },
      { description: "What became of those that it was applied to." },
    ),
    canary: count("How many tasks go first; 0: none."),
    rate: amount("Tasks a second."),
    stoppedBy: nullable(text("Who stopped it.")),
    stopReason: nullable(text("Why it was stopped.")),
    endedAt: nullable(instant("When it ended; null: it is open.")),
  },
  {
    $id: "BulkOperation",
    description: "One action on many tasks, and how far it is.",
    examples: [examples.bulk],
  },
);

const BulkItem = Type.Object(
  {
    taskId: text("Which task."),
    outcome: Type.Enum([...bulkOutcomes], { description: "What became of it." }),
    code: nullable(text("Why it was refused, or failed again.")),
    step: nullable(text("The step that it was about.")),
    at: instant("When."),
  },
  { $id: "BulkItem", description: "A task of a bulk operation." },
);

/** The named schemas of bulk operations. */
export const bulkSchemas: readonly Type.TSchema[] = [
  BulkOperation,
  page("BulkOperationPage", ref("BulkOperation"), "The latest first."),
  BulkItem,
  page("BulkItemPage", ref("BulkItem"), "In the order in which they are applied."),
  Type.Object(
    {
      matches: count("How many tasks the filter finds."),
      allowed: count("To how many the action can be applied."),
      refused: Type.Array(
        Type.Object({ reason: text("A fault code."), count: count("Of so many tasks.") }),
        { description: "Why not to the others." },
      ),
      sample: texts("Ids of some of the tasks."),
    },
    { $id: "BulkForecast", description: "What a bulk operation would do." },
  ),
];
