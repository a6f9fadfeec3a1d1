import { expect, test } from "@jest/globals";
import { optimisationNames, readOptimisations } from "./optimisations.ts";

test.each([undefined, ""])("every optimisation is on when HOLDFAST_WITHOUT is %p", (text) => {
  expect(Object.entries(readOptimisations(text))).toEqual(
    optimisationNames.map((name) => [name, true]),
  );
});

test("HOLDFAST_WITHOUT turns off what it names, and nothing else", () => {
  const { taskCache, bundles, ...others } = readOptimisations("taskCache,bundles");
  expect([taskCache, bundles]).toEqual([false, false]);
  expect(new Set(Object.values(others))).toEqual(new Set([true]));
});

test("HOLDFAST_WITHOUT with an unknown name is refused, and the error lists the names", () => {
  expect(() => readOptimisations("taskCahce")).toThrow(
    expect.objectContaining({
      code: "config.invalid",
      message: expect.stringMatching(/taskCahce; there are taskCache, scanWindow/),
    }),
  );
});
