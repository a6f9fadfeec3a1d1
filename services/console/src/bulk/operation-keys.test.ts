import { expect, test } from "@jest/globals";
import { operationKeys } from "./operation-keys.ts";

test("the same filled has the same key, and another filled another one", () => {
  const keyOf = operationKeys();
  const first = keyOf({ rate: 1 });
  expect(keyOf({ rate: 1 })).toBe(first);
  expect(keyOf({ rate: 2 })).not.toBe(first);
  expect(operationKeys()({ rate: 1 })).not.toBe(first);
});
