import {
  calendarOf,
  type FieldFault,
  inputAt,
  type Schedule,
  scheduleFaults,
  type WholeSchedule,
  wholeSchedule,
} from "@holdfast/contracts";
import type { Instant } from "@holdfast/domain";
import { Problem } from "../problem.ts";
import { readSubmissionAt, retired } from "../submit-problems.ts";
import type { WorkflowDirectory } from "../workflow-directory.ts";

interface Asked {
  readonly id: string;
  readonly schedule: Schedule;
  readonly now: Instant;
}

/** The answer to what is no schedule, with a pointer to each thing that is wrong. */
export const invalidSchedule = (errors: readonly FieldFault[], words: string) =>
  new Problem(400, "schedule.invalid", words, errors);

/**
 * Holds a schedule that has the form of one to all other rules: its times and refs, its workflow,
 * and the task that it will submit at its next instant, as if that were submitted now. Throws a
 * `Problem` for one that cannot be stored.
 */
export async function mustBeSchedule(
  directory: Pick<WorkflowDirectory, "find" | "isRetired">,
  { id, schedule, now }: Asked,
): Promise<void> {
  const whole = wholeSchedule(schedule);
  const faults = scheduleFaults(whole, now);
  if (faults.length > 0) {
    throw invalidSchedule(faults, "The schedule cannot be stored; see errors.");
  }
  const workflow = await directory.find(schedule.workflow, () => true);
  if (directory.isRetired(workflow.name)) throw retired(workflow);
  const instant = calendarOf(whole).after(now) ?? now;
  const asked = submissionAt(whole, { id, instant });
  await readSubmissionAt(asked, workflow, { submittedBy: `schedule:${id}` }).catch((error) => {
    throw refusalOf(error, instant);
  });
}

const submissionAt = (
  { workflow, priority, labels, ...schedule }: WholeSchedule,
  { id, instant }: { readonly id: string; readonly instant: Instant },
) => ({ workflow, input: inputAt(schedule, id, instant), priority, labels });

/** What a submission is refused for, as the fault of the schedule that would submit it. */
function refusalOf(error: unknown, instant: Instant): unknown {
  if (!(error instanceof Problem) || error.status !== 422) return error;
  const errors =
    error.code === "task.invalid" && error.errors.length > 0
      ? error.errors.map(({ pointer, detail }) => ({ pointer: `/input${pointer}`, detail }))
      : [{ pointer: "/input", detail: error.message }];
  const at = new Date(instant).toISOString();
  return invalidSchedule(
    errors,
    `The workflow refuses the input that the task of the next instant, ${at}, has; see errors.`,
  );
}
