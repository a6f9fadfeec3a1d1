import type { ApprovalDecision, ApprovalDefinition, Json, Vote } from "@holdfast/domain";
import type { DecisionOutcome } from "@holdfast/state-store";
import { expect } from "@jest/globals";
import { type Pair, sides } from "./pair.ts";
import { slow } from "./slow-workflows.ts";

const isApproval = (step: object): step is ApprovalDefinition => "audience" in step;

/** The steps that people decide, by workflow. */
const asked = new Map(slow.map(({ name, steps }) => [name, steps.filter(isApproval)] as const));

/** The workflows with steps that people decide. */
export const approved = slow.filter(({ name }) => (asked.get(name) ?? []).length > 0);

export const waitsForPeople = (workflow: string): boolean =>
  approved.some(({ name }) => name === workflow);

/** Few, so that much of what they say comes again. */
const people = ["ann", "bob", "eve"];

/** What one says about a step: rather one of few things. */
function chooseSaid({ random }: Pair) {
  const actor = random.pick(people);
  const decision: Vote = random.chance(0.8) ? "approve" : "reject";
  const reason = decision === "reject" ? "too much" : random.pick([null, "as agreed"]);
  const form: Json = decision === "approve" && random.chance(0.3) ? { n: 1 } : null;
  return { actor, actorName: `${actor} of all`, decision, reason, form };
}

const said = ({ id, name, decision, reason, form }: ApprovalDecision) => {
  return { id, name, decision, reason, form };
};

/** An answer without its instants: the clocks of both differ. */
const untimed = (outcome: DecisionOutcome) =>
  outcome.kind === "counted"
    ? { ...outcome, at: "" }
    : { ...outcome, decisions: outcome.decisions.map(said) };

/** What people decide, on both stores. */
export const approvalOperations = {
  async recordDecision(pair: Pair): Promise<void> {
    const { real, memory, random } = pair;
    const all = stepsOf(pair);
    const open = all.filter(({ isOpen }) => isOpen);
    if (all.length === 0) return;
    const { ids, terms } = random.pick(open.length > 0 && random.chance(0.8) ? open : all);
    const { name: step, quorum } = terms;
    const decision = { ...chooseSaid(pair), step, quorum };
    const [theirs, ours] = sides((side) => ({ ...decision, taskId: ids[side] }));
    const [named, counted] = [await real.recordDecision(theirs), memory.recordDecision(ours)];
    expect(untimed(counted)).toEqual(untimed(named));
    await sameDecisions(pair, ids);
  },
} as const;

/** The steps of all tasks that people decide. */
const stepsOf = ({ memory, tasks }: Pair) =>
  tasks.flatMap((ids) => {
    const { task } = memory.tasks.get(ids[1])!;
    return (asked.get(task.workflow.name) ?? []).map((terms) => {
      const isOpen = task.steps.get(terms.name)?.processState === "awaiting";
      return { ids, terms, isOpen };
    });
  });

/** Expects that both have kept the same of what people said about a task. */
export async function sameDecisions(
  { real, memory }: Pair,
  [theirs, ours]: readonly [string, string],
): Promise<void> {
  const step = null;
  const found = [
    await real.findDecisions({ taskId: theirs, step }),
    memory.findDecisions({ taskId: ours, step }),
  ].map((decisions) => decisions.map((one) => ({ step: one.step, ...said(one) })));
  expect(found[1]).toEqual(found[0]);
}
