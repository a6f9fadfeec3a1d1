import { isDeepStrictEqual } from "node:util";
import { undoNameOf } from "@holdfast/domain";
import type { HandlerCall } from "../call-log.ts";
import type { TaskView } from "../task-view.ts";
import type { Expectations, StepExpectation } from "./case.ts";

interface Seen {
  readonly task: TaskView;
  readonly calls: readonly HandlerCall[];
}

const suffix = undoNameOf("");

/** What is not as expected, a line each; empty: nothing. */
export function compare(
  { state, faultCode, output, calls, undos, steps }: Expectations,
  seen: Seen,
): readonly string[] {
  const called = seen.calls.map(({ step }) => step);
  return [
    ...differs("state", state, seen.task.state),
    ...differs("faultCode", faultCode, seen.task.faultCode),
    ...differs("output", output, seen.task.output),
    ...differs(
      "calls",
      calls,
      called.filter((step) => !step.endsWith(suffix)),
    ),
    ...differs(
      "undos",
      undos,
      called.filter((step) => step.endsWith(suffix)).map((step) => step.slice(0, -suffix.length)),
    ),
    ...Object.entries(steps).flatMap(([name, expected]) => compareStep(name, expected, seen.task)),
  ];
}

function compareStep(
  name: string,
  { state, attempts, failures, faultCode, output }: StepExpectation,
  task: TaskView,
): readonly string[] {
  const step = task.steps[name];
  if (step === undefined) return [`steps/${name}: the task has no such step: it was not undone`];
  return [
    ...differs(`steps/${name}/state`, state, step.state),
    ...differs(`steps/${name}/attempts`, attempts, step.attempt),
    ...differs(`steps/${name}/failures`, failures, step.failureCount),
    ...differs(`steps/${name}/faultCode`, faultCode, step.faultCode),
    ...differs(`steps/${name}/output`, output, step.output),
  ];
}

/** JSON on both sides: a field that is undefined is none. */
function differs(what: string, expected: unknown, found: unknown): readonly string[] {
  if (expected === undefined) return [];
  const is: unknown = found === undefined ? undefined : JSON.parse(JSON.stringify(found));
  if (isDeepStrictEqual(is, expected)) return [];
  return [
    `${what}: expected ${JSON.stringify(expected)}, was ${is === undefined ? "nothing" : JSON.stringify(is)}`,
  ];
}
