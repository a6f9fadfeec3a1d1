import { Type } from "typebox";
import { taskStates } from "../search/task-states.ts";
import { attemptOutcomes } from "../view/attempts.ts";
import { ref } from "./describe.ts";
import { Progress } from "./progress-schema.ts";
import { count, flag, instant, json, named, nullable, text, texts } from "./schema-parts.ts";
import { SourceSchema } from "./source-schema.ts";
import { stepKind } from "./step-kind-schema.ts";

const Attempt = named("Attempt", "One attempt of a step, with the deadline that it ran against.", {
  step: text("The name of the step."),
  kind: stepKind,
  undoes: nullable(text("Of an undo: the step that it undoes.")),
  attempt: count("The number of the attempt, from 1."),
  agent: text("Who was asked."),
  lockedBy: text("The Scheduler that claimed it."),
  claimedAt: instant("When it was claimed."),
  startedAt: nullable(instant("Of a running attempt: when its Agent began, as far as it said so.")),
  heartbeatAt: nullable(instant("Of a running attempt: when its handler said that it is at work.")),
  completeBy: nullable(instant("When it expires, or would have.")),
  endedAt: nullable(instant("When it ended; null: it runs.")),
  outcome: Type.Enum([...attemptOutcomes], {
    description:
      "`expired`: no reply came in time. `requeued`: it goes again, and no failure is counted.",
  }),
  faultCode: nullable(text("Why it failed.")),
  source: nullable(SourceSchema),
  faultDetail: nullable(text("Of the latest attempt: the message of the failure.")),
  progress: nullable(Progress),
  input: json("What its Agent got: any JSON; null where it is not kept."),
  output: json("What its Agent returned: any JSON; null where it is not kept."),
});

/** What operators look at. */
export const viewSchemas: readonly Type.TSchema[] = [
  Attempt,
  named("Attempts", "The attempts of a task, and what happened between them.", {
    items: Type.Array(ref("Attempt"), { description: "The attempts, newest first." }),
    waits: Type.Array(
      Type.Object({
        step: text("Which step waited."),
        from: instant("Since when."),
        until: nullable(
          instant("When it was claimed, or becomes due; null: it waits for its turn."),
        ),
        reason: text("The move that made it wait, such as `retry` or `coolDown`."),
      }),
      { description: "Times for which steps waited to be claimed, newest first." },
    ),
    lateReplies: Type.Array(
      Type.Object({
        step: nullable(text("The step that it named.")),
        attempt: nullable(count("The attempt that it named.")),
        at: instant("When it came."),
        reason: text("Why it was refused."),
        sender: nullable(text("Its broker user.")),
      }),
      { description: "Replies that were refused, newest first." },
    ),
    truncated: flag("There are more than are shown."),
  }),
  named("Explanation", "What a task waits for, or how it ended.", {
    taskId: text("Which task."),
    workflow: text("With its version."),
    state: Type.Enum([...taskStates], { description: "Where it stands." }),
    sentence: text("What it waits for, or how it ended."),
    evidence: texts(
      "Where each other step stands, and who activated its version, a sentence each.",
    ),
    steps: Type.Array(
      Type.Object({
        name: text("Of the step."),
        sentence: text("What it waits for."),
      }),
      { description: "Each step that is open." },
    ),
    turnOf: nullable(text("What is due before it; null: it is not due.")),
  }),
  named("Examination", "How the servers are set up, and who serves whom.", {
    at: instant("When it was looked at."),
    ok: flag("Whether nothing is wrong."),
    findings: Type.Array(
      Type.Object({
        check: text("What was looked at: stable, for scripts."),
        severity: Type.Enum(["ok", "warning", "error"], { description: "How bad it is." }),
        sentence: text("What was found."),
        advice: nullable(text("What to do.")),
      }),
      { description: "One for each check." },
    ),
  }),
  named("Verification", "What must always hold, and where it does not.", {
    at: instant("When it was looked at."),
    ok: flag("Whether nothing is broken."),
    tasks: count("How many tasks were looked at."),
    complete: flag("False: there were more than could be looked at."),
    violations: Type.Array(
      Type.Object({
        rule: text("What must always hold."),
        taskId: nullable(text("A task for which it does not.")),
        sentence: text("What was found."),
      }),
      { description: "What must never be." },
    ),
  }),
];
