import { type StepKind, stepKinds, stepStates, taskStates } from "@holdfast/domain";
import type { StepFacts } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { broker, charge, facts, noon, pause } from "../../test/task-facts.ts";
import { unseenBroker } from "../causes/system-facts.ts";
import { explain } from "./explain.ts";

test("why prints a whole sentence for every combination of facts", () => {
  const kinds = Object.keys(stepKinds) as readonly StepKind[];
  const combinations = product({
    processState: taskStates,
    goal: ["do", "undo"] as const,
    paused: [null, pause],
    workflowPaused: [null, { ...pause, reason: null }],
    step: stepStates,
    kind: kinds,
    notBefore: [null, noon - 1, noon + 1, Number.POSITIVE_INFINITY],
    lastAction: [null, "retry", "coolDown", "requeue"],
    bare: [true, false],
    broker: [
      unseenBroker,
      { unreachable: "x", blocked: null, schedulers: null, consumers: {} },
      { unreachable: null, blocked: "x", schedulers: 1, consumers: { payments: null } },
      broker,
    ],
  });
  const broken: string[] = [];
  let combined = 0;
  for (const { step, kind, notBefore, lastAction, bare, ...task } of combinations) {
    const known = bare
      ? { since: null, completeBy: null, lockedBy: null, faultCode: null, lastReason: null }
      : { since: noon, completeBy: noon + 1, lockedBy: "z", faultCode: "a.b", lastReason: "a.b" };
    const one: StepFacts = { ...charge, ...known, kind, notBefore, lastAction, processState: step };
    const other: StepFacts = { ...one, name: "charge:undo" };
    const lanes = bare ? [] : facts.lanes;
    const explanation = explain({ ...facts, ...task, lanes, steps: [one, other] });
    const texts = [explanation.sentence, ...explanation.evidence];
    broken.push(...texts.filter((text) => !isWhole(text)));
    combined += 1;
  }
  expect(broken).toEqual([]);
  expect(combined).toBe(6 * 2 * 2 * 2 * 8 * kinds.length * 4 * 4 * 2 * 4);
});

const isWhole = (text: string): boolean =>
  /^[A-Z].{12,}\.$/.test(text) && !/null|undefined|NaN|Infinity|Invalid/.test(text);

type Choices = Readonly<Record<string, readonly unknown[]>>;

function* product<const Of extends Choices>(
  of: Of,
): Generator<{ readonly [key in keyof Of]: Of[key][number] }> {
  const [first, ...rest] = Object.entries(of);
  if (first === undefined) {
    yield {} as never;
    return;
  }
  const [key, values] = first;
  for (const others of product(Object.fromEntries(rest))) {
    for (const value of values) yield { [key]: value, ...others } as never;
  }
}
