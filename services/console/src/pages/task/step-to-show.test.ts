import { expect, test } from "@jest/globals";
import type { Step, Task } from "../../api/types.ts";
import { stepToShow } from "./step-to-show.ts";
import { traceUrlOf } from "./trace-url.ts";

const steps = (...states: readonly Step["processState"][]) => ({
  steps: states.map((processState, index) => ({ name: `s${index}`, processState }) as Step),
});

test.each([
  [["processed", "error", "processing"], "s1"],
  [["processed", "pending", "waiting"], "s1"],
  [["processed", "processed"], "s0"],
  [[], undefined],
] as const)("of steps that are %j the one shown first is %s", (states, name) => {
  expect(stepToShow(steps(...states), null)?.name).toBe(name);
});

test("the step of the URL is shown, if there is one of that name", () => {
  const task = steps("processed", "error");
  expect(stepToShow(task, "s0")?.name).toBe("s0");
  expect(stepToShow(task, "__proto__")?.name).toBe("s1");
});

test.each([
  ["https://traces.example/t/{traceId}", "4bf9", "https://traces.example/t/4bf9"],
  ["https://traces.example/t/{traceId}", "a/../b?c", "https://traces.example/t/a%2F..%2Fb%3Fc"],
  ["javascript:alert('{traceId}')", "4bf9", null],
  [null, "4bf9", null],
  ["https://traces.example/t/{traceId}", null, null],
])("by the template %s the trace %s is at %s", (template, traceId, url) => {
  expect(traceUrlOf(template, { traceId } as unknown as Task)).toBe(url);
});
