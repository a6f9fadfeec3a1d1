import type { ContractDifference } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { claim, dispatching } from "../../test/dispatching.ts";
import { openState } from "../../test/state.ts";
import { unfitContracts } from "./unfit-contracts.ts";

const difference = (changes: Partial<ContractDifference> = {}): ContractDifference => ({
  workflow: "payroll.v2",
  isRetired: false,
  agent: "bank",
  operation: "transfer",
  needed: "0000000000aa",
  offered: "0000000000bb",
  instances: 1,
  names: ["bank-1"],
  reading: "unfit",
  why: "knows nothing of /note, which the workflow gives",
  ...changes,
});

function opened(found: readonly ContractDifference[]) {
  const seen = { reads: [] as string[][], now: 0, found, warned: [] as unknown[] };
  const clock = { now: () => seen.now, after: () => () => {} };
  const unfit = unfitContracts({
    ...openState({ clock }),
    store: {
      findContractDifferences: async ({ workflows }) => {
        seen.reads.push([...(workflows ?? [])]);
        return seen.found.filter(({ workflow }) => workflows?.includes(workflow));
      },
    },
    clock,
    log: { warn: (fields: unknown) => void seen.warned.push(fields) } as never,
  });
  return { seen, unfit };
}

const asked = { workflow: "payroll.v2", agent: "bank", operation: "transfer" };

test("contracts are unfit for what a workflow asks if their schemas show it, and no others are", async () => {
  const { unfit, seen } = opened([
    difference(),
    difference({ offered: "0000000000cc", reading: "unknown" }),
    difference({ offered: "" }),
    difference({ workflow: "payroll.v1", reading: "fits" }),
  ]);
  await unfit.learn(["payroll.v2"]);
  expect(unfit.of(asked)).toEqual(["0000000000bb"]);
  expect(unfit.of({ ...asked, workflow: "payroll.v1" })).toBeUndefined();
  expect(seen.warned).toMatchObject([{ instances: ["bank-1"], workflow: "payroll.v2" }]);
});

test("a contract that no instance has now is unfit, too, and is not warned of before one has it", async () => {
  const stored = difference({ instances: 0, names: [] });
  const { unfit, seen } = opened([stored]);
  await unfit.learn(["payroll.v2"]);
  expect([unfit.of(asked), seen.warned]).toEqual([["0000000000bb"], []]);
  seen.found = [stored, difference({ offered: "0000000000cc" })];
  seen.now += 15_000;
  await unfit.learn(["payroll.v2"]);
  // Those that run come first: a request names a few.
  expect(unfit.of(asked)).toEqual(["0000000000cc", "0000000000bb"]);
  expect(seen.warned).toHaveLength(1);
});

test("they are read again while requests are sent, before the first of a workflow, and before the first after a while", async () => {
  const { unfit, seen } = opened([]);
  await unfit.learn(["payroll.v1"]);
  await unfit.learn(["payroll.v1", "payroll.v1"]);
  expect(seen.reads).toEqual([["payroll.v1"]]);
  seen.found = [difference()];
  await unfit.learn(["payroll.v1", "payroll.v2"]);
  expect([seen.reads.length, unfit.of(asked)]).toEqual([2, ["0000000000bb"]]);
  seen.now += 5_000;
  seen.found = [];
  await unfit.learn(["payroll.v2"]);
  await unfit.learn(["payroll.v2"]);
  await new Promise(setImmediate);
  expect([seen.reads.length, unfit.of(asked)]).toEqual([3, undefined]);
  // What was read long ago is not used.
  seen.now += 15_000;
  seen.found = [difference()];
  await unfit.learn(["payroll.v2"]);
  expect([seen.reads.length, unfit.of(asked)]).toEqual([4, ["0000000000bb"]]);
});

test("only the workflows of requests are read, a few at a time, however many are stored", async () => {
  const { unfit, seen } = opened([difference()]);
  const many = Array.from({ length: 25 }, (_, index) => `payroll.v${index + 1}`);
  await unfit.learn(many);
  expect(seen.reads.map(({ length }) => length)).toEqual([10, 10, 5]);
  expect(seen.reads.flat()).toEqual(many);
  // Of those, only what a request needs is read again, and the rest is forgotten.
  seen.now += 5_000;
  await unfit.learn(["payroll.v2"]);
  await new Promise(setImmediate);
  expect(seen.reads.slice(3).flat()).toEqual(many);
  seen.now += 5_000;
  await unfit.learn(["payroll.v2"]);
  await new Promise(setImmediate);
  expect(seen.reads.slice(6)).toEqual([["payroll.v2"]]);
});

test("a request names the contracts that are unfit for it, and nothing where there are none", async () => {
  const requestsWith = async (unfit: { readonly [operation: string]: readonly string[] }) => {
    const { dispatch, published } = dispatching(undefined, undefined, undefined, unfit);
    await dispatch([claim()], 0);
    return published.map(({ body }) => JSON.parse(String(body)));
  };
  const [plain] = await requestsWith({});
  expect(plain).not.toHaveProperty("unfit");
  const [named] = await requestsWith({ [plain.operation]: ["0000000000bb"] });
  expect(named.unfit).toEqual(["0000000000bb"]);
});
