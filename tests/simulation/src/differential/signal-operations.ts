import { signalContract } from "@holdfast/contracts";
import { familyOf, type Json, signalsOf, type WorkflowDefinition } from "@holdfast/domain";
import type { SentSignal } from "@holdfast/state-store";
import { expect } from "@jest/globals";
import { indexOf, type Pair, sides } from "./pair.ts";
import { slow } from "./slow-workflows.ts";

/** The workflows whose steps wait for signals. */
export const signalled = slow.filter((definition) => signalsOf(definition).length > 0);

export const waitsForSignals = (workflow: string): boolean =>
  signalled.some(({ name }) => name === workflow);

/** Business keys that tasks of these workflows have. */
const keys = ["key 1", "key 2"];

/** The business key of a new task; none where signals would make no difference. */
export const keyFor = ({ random }: Pick<Pair, "random">, workflow: string) =>
  waitsForSignals(workflow) && random.chance(0.6) ? { key: random.pick(keys) } : {};

/** What a sender sends: rather one of few, so that much of it comes again. */
function chooseSignal({ random }: Pair, definition: WorkflowDefinition) {
  const name = random.pick(signalsOf(definition));
  const payload: Json = { n: random.below(2) };
  return { name, id: `${random.below(8)}`, payload, sentBy: "bank" };
}

const answerOf = (answer: SentSignal | undefined) =>
  answer?.kind === "accepted" ? { kind: answer.kind, replayed: answer.replayed } : answer;

/** What senders of signals do, on both stores. */
export const signalOperations = {
  async sendSignals(pair: Pair): Promise<void> {
    const { real, memory, random, tasks } = pair;
    const mine = tasks.filter(([, ours]) => definitionOf(pair, ours) !== undefined);
    if (mine.length === 0) return;
    const ids = random.pick(mine);
    const definition = definitionOf(pair, ids[1])!;
    const sent = Array.from({ length: 1 + random.below(3) }, () => chooseSignal(pair, definition));
    const workflow = definition.name;
    const [theirs, ours] = sides((side) =>
      sent.map((one) => ({ ...one, workflow, taskId: ids[side] })),
    );
    const [named, mineSaid] = [await real.sendSignals(theirs), memory.sendSignals(ours)];
    expect(mineSaid.map(answerOf)).toEqual(named.map(answerOf));
    await sameSignals(pair, ids);
  },

  async holdSignal(pair: Pair): Promise<void> {
    const { real, memory, random } = pair;
    const definition = random.pick(signalled);
    const sent = chooseSignal(pair, definition);
    const held = {
      ...sent,
      tenant: "default",
      family: familyOf(definition.name),
      key: random.pick(keys),
      contract: random.chance(0.9) ? (signalContract(definition, sent.name) ?? "") : "another",
      holdFor: random.pick([60_000, 86_400_000]),
    };
    const [theirs, ours] = [await real.holdSignal(held), memory.holdSignal(held)];
    const [named, mine] = sides((side) => {
      const outcome = side === 0 ? theirs : ours;
      if (outcome.kind === "task") return indexOf(pair, side, outcome.taskId);
      return outcome.kind === "held" ? { replayed: outcome.replayed } : outcome;
    });
    expect(mine).toEqual(named);
  },
} as const;

/** The definition of a task whose steps wait for signals; undefined: none of its steps does. */
const definitionOf = ({ memory }: Pair, taskId: string): WorkflowDefinition | undefined =>
  signalled.find(({ name }) => name === memory.tasks.get(taskId)?.task.workflow.name);

/** Expects that both have kept the same signals with a task. */
export async function sameSignals(
  { real, memory }: Pair,
  [theirs, ours]: readonly [string, string],
): Promise<void> {
  const found = [
    await real.listSignals({ taskId: theirs }),
    memory.listSignals({ taskId: ours }),
  ].map((signals) =>
    signals.map(({ name, id, payload, sentBy, takenBy, isLate }) => {
      return { name, id, payload, sentBy, takenBy, isLate };
    }),
  );
  expect(found[1]).toEqual(found[0]);
}
