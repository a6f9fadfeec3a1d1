import { approvalDeadlines } from "@holdfast/contracts";
import { approvalOutcomes } from "@holdfast/domain";
import { Type } from "typebox";
import { ref } from "../api/describe.ts";
import { examples } from "../api/examples.ts";
import { count, flag, instant, json, named, nullable, page, text } from "../api/schema-parts.ts";

const votes = ["approve", "reject"] as const;

const form = json("What was filled in: any JSON; null: nothing.");

export const outcomeSchema = nullable(
  Type.Enum([...approvalOutcomes], {
    description:
      "How it ended: `approved`, `rejected`, `expired`: its time passed, `cancelled`: its task was undone, or its condition skipped it; null: it has not ended.",
  }),
);

const approval = {
  taskId: text("Of the task."),
  step: text("The name of the step."),
  workflow: text("With its version."),
  key: nullable(text("The business key of the task; null: it has none.")),
  submittedBy: nullable(text("The id of who submitted the task; null: unknown.")),
  audience: text("Those who decide."),
  quorum: count("How many of them must approve. One who rejects decides alone."),
  openedAt: nullable(instant("When it began to wait; null: it does not wait now.")),
  deadline: nullable(instant("When it ends by itself; null: it does not.")),
  onDeadline: Type.Enum([...approvalDeadlines], {
    description:
      "What follows then: it counts as approved, it counts as rejected, or the step fails.",
  }),
  paused: flag("Whether its task is paused: its deadline stands still."),
  mayDecide: flag("Whether who asks may decide now. False with the operators' token."),
  decisions: Type.Array(ref("ApprovalDecision"), { description: "What was said, oldest first." }),
  show: json("What those see who decide, as the workflow says; null: nothing."),
  form: nullable(
    Type.Unsafe<object | boolean>({
      description: "JSON Schema of what those fill in who approve; null: nothing.",
    }),
  ),
  omitted: Type.Optional(
    Type.Array(Type.Enum(["show", "form"]), {
      description:
        "What is null because it is too large for this answer: a list has 16 KiB of each at most, and one approval has more.",
    }),
  ),
};

/** Steps that people decide. */
export const approvalSchemas: readonly Type.TSchema[] = [
  named("ApprovalDecision", "What one of the audience said.", {
    id: text("The id of the principal."),
    name: text("Its name, for people."),
    decision: Type.Enum([...votes], { description: "What it said." }),
    reason: nullable(text("Why; a rejection has one.")),
    form,
    at: instant("When."),
  }),
  named("OpenApproval", "A step that waits for people.", approval, examples.openApproval),
  page("OpenApprovals", ref("OpenApproval"), "Those of the oldest task first."),
  named("Approval", "A step that people decide, also after it ended.", {
    ...approval,
    outcome: outcomeSchema,
  }),
  named(
    "DecisionCounted",
    "A decision that was kept.",
    {
      taskId: text("Of the task."),
      step: text("The name of the step."),
      decision: Type.Enum([...votes], { description: "What was said." }),
      id: text("The id of the principal that said it."),
      at: instant("When it was kept, the first time."),
      approvals: count("How many have approved by now."),
      quorum: count("How many must."),
      decided: flag("Whether the step is decided by it: a Scheduler ends it."),
      replayed: flag("Whether it was said before: then this is the first answer again."),
    },
    examples.decisionCounted,
  ),
];
