import {
  type Change,
  type Folded,
  type ReportedEvent,
  type Step,
  type StepPlan,
  type Task,
  type TaskEvent,
  type WorkflowPlan,
} from "@holdfast/domain";
import type { Domain } from "@holdfast/testing/simulator";

/** Makes a domain for mutants with each event changed before it is decided. */
export const editEvents =
  (edit: (event: TaskEvent, task: Task) => TaskEvent) =>
  (domain: Domain): Domain => ({
    ...domain,
    foldEvents: (task, reported, options) =>
      domain.foldEvents(
        task,
        reported.map((report): ReportedEvent => ({ ...report, event: edit(report.event, task) })),
        options,
      ),
  });

/** Makes a domain for mutants that sees each task changed when it decides about an event. */
export const editTasks =
  (edit: (task: Task, event: TaskEvent) => Task) =>
  (domain: Domain): Domain => ({
    ...domain,
    foldEvents(task, reported, options) {
      const [first] = reported;
      const seen = first === undefined ? task : edit(task, first.event);
      const folded = domain.foldEvents(seen, reported, options);
      return folded.task === seen ? { ...folded, task } : folded;
    },
  });

/** Makes a domain for mutants with each move changed after it was decided. */
export const editChanges =
  (edit: (change: Change, event: TaskEvent) => Change) =>
  (domain: Domain): Domain => ({
    ...domain,
    foldEvents(task, reported, options) {
      const folded = domain.foldEvents(task, reported, options);
      const outcomes = folded.outcomes.map((outcome, index) => {
        const { event } = reported[index] as ReportedEvent;
        return outcome.applied
          ? { ...outcome, changes: outcome.changes.map((change) => edit(change, event)) }
          : outcome;
      });
      const changes = outcomes.flatMap((outcome) => (outcome.applied ? outcome.changes : []));
      return { ...folded, outcomes, changes, task: withChanges(folded.task, changes) };
    },
  });

/** The last move of each step says how it stands. */
function withChanges(task: Task, changes: readonly Change[]): Task {
  const steps = new Map(task.steps);
  for (const { step } of changes) steps.set(step.plan.name, step);
  return { ...task, steps };
}

/** Adds moves that were not decided on, for mutants. */
export function addChanges(folded: Folded, more: readonly Change[]): Folded {
  const last = folded.outcomes.findLastIndex(({ applied }) => applied);
  if (last < 0 || more.length === 0) return folded;
  const outcomes = folded.outcomes.map((outcome, index) =>
    index === last && outcome.applied
      ? { ...outcome, changes: [...outcome.changes, ...more] }
      : outcome,
  );
  const changes = [...folded.changes, ...more];
  return { outcomes, changes, task: withChanges(folded.task, more) };
}

/** The attempt of a step that is processing, as an event names it. */
export function inHand(task: Task, name: string): { attempt: number; token: string } | null {
  const step: Step | undefined = task.steps.get(name);
  return step?.processState === "processing" ? { attempt: step.attempt, token: step.token } : null;
}

/** Makes a domain for mutants with each plan of a workflow changed. */
export function editWorkflows(edit: (plan: WorkflowPlan) => WorkflowPlan) {
  return (domain: Domain): Domain => ({
    ...domain,
    planWorkflow: (definition) => edit(domain.planWorkflow(definition)),
  });
}

/** Makes a domain for mutants with each plan of a step changed. */
export function editPlans(edit: (step: StepPlan) => StepPlan) {
  return editWorkflows((plan) => ({
    ...plan,
    steps: new Map([...plan.steps].map(([name, step]) => [name, edit(step)])),
  }));
}

/** The steps that come before each step, in the place of those that come after it. */
export const upstreamOf = ({ downstream }: WorkflowPlan): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...downstream.keys()].map((name) => [
      name,
      [...downstream].flatMap(([earlier, later]) => (later.includes(name) ? [earlier] : [])),
    ]),
  );
