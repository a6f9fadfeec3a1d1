import type { ContractDifference } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { checkContracts } from "./check-contracts.ts";

const difference: ContractDifference = {
  workflow: "payroll.v2",
  isRetired: false,
  agent: "bank",
  operation: "transfer",
  needed: "0000000000aa",
  offered: "0000000000bb",
  instances: 3,
  names: ["bank-1", "bank-2"],
  reading: "unfit",
  why: "knows nothing of /note, which the workflow gives",
};

const shown = (...differences: readonly ContractDifference[]) =>
  checkContracts(differences).map(({ state, text }) => [state, text]);

test("instances that cannot do what a workflow asks for are named, with why", () => {
  expect(shown(difference)).toEqual([
    [
      "wrong",
      "bank-1, bank-2 and 1 more of the Agent bank: the contract of transfer is 0000000000bb, and payroll.v2 was made with 0000000000aa: it knows nothing of /note, which the workflow gives",
    ],
  ]);
  expect(shown({ ...difference, offered: "", instances: 2 })).toEqual([
    [
      "wrong",
      "bank-1, bank-2 of the Agent bank cannot do what payroll.v2 asks for: no operation transfer",
    ],
  ]);
});

test("a contract that no stored workflow was made with is not judged", () => {
  const [[state, text] = []] = shown({ ...difference, reading: "unknown", why: "" });
  expect(state).toBe("unseen");
  expect(text).toContain("No stored workflow was made with the former");
});

test("what fits, and what retired workflows need, is fine", () => {
  const fine = [["fine", "every running instance has contracts that fit the stored workflows"]];
  expect(shown({ ...difference, reading: "fits" }, { ...difference, isRetired: true })).toEqual(
    fine,
  );
});
