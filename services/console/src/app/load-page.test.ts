import { expect, test } from "@jest/globals";
import { loadPersistently } from "./load-page.ts";

const failing = (times: number) => {
  let left = times;
  return async (): Promise<string> => {
    left -= 1;
    if (left >= 0) throw new TypeError("Failed to fetch dynamically imported module");
    return "page";
  };
};

test("a page whose script did not come is loaded again, at growing intervals", async () => {
  const rests: number[] = [];
  const wait = async (ms: number) => void rests.push(ms);
  expect(await loadPersistently(failing(3), { wait })).toBe("page");
  expect(rests).toEqual([500, 1_000, 2_000]);
});

test("a page that a new release has taken away is said to have failed in the end", async () => {
  await expect(loadPersistently(failing(100), { wait: async () => {} })).rejects.toThrow(
    /dynamically imported/,
  );
});
