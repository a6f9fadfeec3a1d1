import { expect, test } from "@jest/globals";
import { sharedView } from "./shared-view.ts";

function counted() {
  const state = { now: 0, looks: 0, release: () => {} };
  const look = sharedView(
    async () => {
      state.looks += 1;
      const number = state.looks;
      await new Promise<void>((resolve) => (state.release = resolve));
      if (number === 2) throw new Error("the store is away");
      return number;
    },
    { freshFor: 1_000, clock: () => state.now },
  );
  const answer = async () => {
    const asked = look();
    state.release();
    return asked;
  };
  return { state, look, answer };
}

test("all that ask within a second share one look", async () => {
  const { state, look, answer } = counted();
  const first = [look(), look(), look()];
  state.release();
  expect(await Promise.all(first)).toEqual([1, 1, 1]);
  state.now = 999;
  expect(await answer()).toBe(1);
  expect(state.looks).toBe(1);
});

test("a look that failed is made again", async () => {
  const { state, answer } = counted();
  await answer();
  state.now = 1_000;
  await expect(answer()).rejects.toThrow("the store is away");
  expect(await answer()).toBe(3);
});

test("however slow a look is, no second one begins meanwhile", async () => {
  const { state, look } = counted();
  const first = look();
  state.now = 60_000;
  const second = look();
  state.release();
  expect(await Promise.all([first, second])).toEqual([1, 1]);
});
