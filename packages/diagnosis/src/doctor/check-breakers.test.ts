import type { Breaker } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { checkBreakers } from "./check-breakers.ts";

const open: Breaker = {
  service: "psp",
  state: "open",
  reason: "10 attempts in a row failed, the last with psp.down",
  held: false,
  openFor: 5_000,
  throttledFor: null,
  age: 0,
};

test.each<[string, readonly Breaker[], string, string, string]>([
  ["no breaker", [], "fine", "remotes.breakers", "no breaker of a remote service is open"],
  [
    "a closed one",
    [{ ...open, state: "closed" }],
    "fine",
    "remotes.breakers",
    "no breaker of a remote service is open",
  ],
  ["an open one", [open], "wrong", "remotes.breaker_open", "psp is open, so its steps wait: 10 a"],
  [
    "one that is tried",
    [{ ...open, state: "half-open" }],
    "wrong",
    "remotes.breaker_open",
    "half-",
  ],
  [
    "one that an operator holds open",
    [{ ...open, held: true, reason: "maintenance" }],
    "fine",
    "remotes.breakers",
    "operators hold open: psp (maintenance)",
  ],
])("%s is found as it stands", (_, breakers, state, code, text) => {
  expect(checkBreakers(breakers)).toEqual([
    expect.objectContaining({ state, code, text: expect.stringContaining(text) }),
  ]);
});
