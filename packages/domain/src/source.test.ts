import { describe, expect, test } from "@jest/globals";
import { sourceOfMove, sourceWords } from "./source.ts";

const said = (
  action: string,
  reason: string | null,
  [fromState, toState] = ["processing", "halted"],
) => sourceOfMove({ action, fromState, toState, reason });

describe("an entry of the history names who said", () => {
  test.each([
    ["retry", "payments.busy", "remoteService"],
    ["fail", "payments.declined", "remoteService"],
    ["coolDown", "step.expired", "agent"],
    ["fail", "agent.unexpected", "agent"],
    ["fail", "step.input_invalid", "definition"],
    ["fail", "step.reply_invalid", "agent"],
    ["lapse", "wait.expired", "definition"],
    ["lapse", "wait.time_invalid", "definition"],
    ["undo", "operator.cancel", "person"],
    ["undo", "task.expired", "definition"],
  ])("that %s was for %s", (action, reason, source) => {
    expect(said(action, reason)).toBe(source);
  });

  test("what a task is undone for, when its undo begins and not when it ends", () => {
    expect(said("summarise", "payments.declined", ["processing", "undoing"])).toBe("remoteService");
    expect(said("summarise", "operator.cancel", ["halted", "undone"])).toBe("person");
    expect(said("summarise", "operator.cancel", ["undoing", "undone"])).toBeNull();
  });
});

test("what waits, and what halts because Holdfast cannot go on, is not the word of anyone", () => {
  for (const reason of ["step.never_started", "step.expired", "agent.circuit_open"]) {
    expect(said("requeue", reason, ["processing", "pending"])).toBeNull();
  }
  expect(said("fail", "store.refused")).toBeNull();
  expect(said("fail", "scheduler.undecidable")).toBeNull();
  expect(said("claim", null, ["pending", "processing"])).toBeNull();
});

test("each source has words of its own", () => {
  const words = Object.values(sourceWords);
  expect(new Set(words).size).toBe(words.length);
});
