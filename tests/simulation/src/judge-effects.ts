import { type CallDefinition, isCall, isFinished } from "@holdfast/domain";
import {
  type Facts,
  isCall as isNameOfCall,
  isSkipped,
  nameOf,
  type StepFacts,
  type TaskFacts,
} from "./facts.ts";
import { type LedgerWatcher, outputIdOf } from "./remote.ts";
import { sourceOf } from "./workflows.ts";
import type { World } from "./world.ts";

export interface EffectJudge extends LedgerWatcher {
  /** Everything is quiet: looks at what was achieved. `isUntroubled`: nothing could go wrong. */
  judge(options: { readonly isUntroubled: boolean }): void;
}

/** Holds what the remote services do against the rules, as it happens and at the end. */
export function judgeEffects(world: World, { tasks }: Facts): EffectJudge {
  const { accuse } = world;

  const stepOf = (taskId: string, name: string) => {
    const facts = tasks.get(taskId);
    const step = facts?.steps.get(name);
    return facts === undefined || step === undefined ? null : { facts, step };
  };

  return {
    performed(key, { taskId, step: name }, from) {
      world.tell("remote", () => `does ${nameOf(taskId, name)}`);
      const found = stepOf(taskId, name);
      if (found === null) return accuse("only what is stored is done", () => nameOf(taskId, name));
      const { facts, step } = found;
      if (!isCall(step.definition)) {
        return accuse("a wait asks no Agent", () => nameOf(taskId, name));
      }
      step.net += 1;
      step.keys.add(key);
      if (step.keys.size > 1) accuse("a step has one idempotency key", () => nameOf(taskId, name));
      if (step.net > 1) accuse("nothing is done twice", () => nameOf(taskId, name));
      checkOrder(world, { taskId, facts, definition: step.definition });
      checkInput(world, { taskId, facts, definition: step.definition }, from);
    },

    undone({ taskId, step: name }) {
      world.tell("remote", () => `undoes ${nameOf(taskId, name)}`);
      const found = stepOf(taskId, name);
      if (found === null)
        return accuse("only what is stored is undone", () => nameOf(taskId, name));
      const { facts, step } = found;
      if (!isCall(step.definition)) {
        return accuse("a wait is not undone", () => nameOf(taskId, name));
      }
      step.net -= 1;
      if (facts.goal === "do")
        accuse("a task that goes on is not undone", () => nameOf(taskId, name));
      checkReverseOrder(world, { taskId, facts, definition: step.definition });
    },

    judge({ isUntroubled }) {
      for (const [taskId, facts] of tasks) {
        if (isFinished(facts)) {
          for (const [name, step] of facts.steps) {
            checkResult(world, { taskId, facts, name, step });
            if (isUntroubled && step.attempt > 1) {
              accuse("without faults one attempt is enough", () => nameOf(taskId, name));
            }
          }
        } else {
          accuse("every task ends", () => `${nameOf(taskId)} is ${facts.processState}`);
        }
      }
    },
  };
}

/** A step of a task that the remote service did or undid. */
interface Effect {
  readonly taskId: string;
  readonly facts: TaskFacts;
  readonly definition: CallDefinition;
}

function checkOrder({ accuse }: World, { taskId, facts, definition }: Effect): void {
  // A call that was long on its way, of a step that nothing undoes: no part can call it back.
  const isBeyondRecall = facts.goal === "undo" && definition.undo === null;
  for (const before of isBeyondRecall ? [] : definition.after) {
    const earlier = facts.steps.get(before);
    if (earlier === undefined || isSkipped(facts, earlier.definition)) continue;
    if (isCall(earlier.definition) ? earlier.net === 1 : earlier.state === "processed") continue;
    // What waited is over by now, and is not undone.
    if (!isCall(earlier.definition) && facts.goal === "undo") continue;
    accuse(
      "nothing is done before what it builds on",
      () => `${nameOf(taskId, definition.name)}: ${before}`,
    );
  }
}

function checkInput(
  { accuse }: World,
  { taskId, facts, definition }: Effect,
  from: string | null,
): void {
  const source = definition.input === null ? null : sourceOf(definition);
  const step = source === null ? undefined : facts.steps.get(source);
  const isMissing = source === null || step === undefined || isSkipped(facts, step.definition);
  if (from !== (isMissing ? null : outputIdOf({ taskId, step: source }))) {
    accuse("a step is given what the one before it returned", () =>
      nameOf(taskId, definition.name),
    );
  }
}

function checkReverseOrder({ accuse }: World, { taskId, facts, definition }: Effect): void {
  const { name } = definition;
  for (const later of callsAfter(facts, name)) {
    if (later.undo === null || facts.steps.get(later.name)?.net === 0) continue;
    accuse("what was done last is undone first", () => `${nameOf(taskId, name)}: ${later.name}`);
  }
}

/** The calls that come after a step, directly or through waits. */
function callsAfter(facts: TaskFacts, name: string): readonly CallDefinition[] {
  return facts.definition.steps
    .filter(({ after }) => after.includes(name))
    .flatMap((later) => (isCall(later) ? [later] : callsAfter(facts, later.name)));
}

interface Result {
  readonly taskId: string;
  readonly facts: TaskFacts;
  readonly name: string;
  readonly step: StepFacts;
}

function checkResult({ accuse }: World, { taskId, facts, name, step }: Result): void {
  if (!isNameOfCall(name) || !isCall(step.definition)) return;
  const witness = () =>
    `${nameOf(taskId, name)}: ${step.net} times, and the task is ${facts.processState}`;
  if (facts.processState === "processed") {
    const expected = isSkipped(facts, step.definition) ? 0 : 1;
    if (step.net !== expected) accuse("what a processed task asks for is done once", witness);
  } else if (step.definition.undo !== null && step.net !== 0) {
    accuse("nothing is left of what was undone", witness);
  }
}
