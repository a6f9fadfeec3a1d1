import { expect, test } from "@jest/globals";
import type { Call } from "../api/call.ts";
import { runCalls } from "./run-calls.ts";
import { wholeTaskAction } from "./task-actions.ts";

const tasks = ["a", "b", "c"].map(
  (id) => ({ id, version: 1, state: "processing", paused: null }) as const,
);
const filled = { actor: "ada", reason: "why", field: undefined };

test("each call has an outcome of its own, and one that is refused stops no other", async () => {
  const outcomes = new Map<string, string>();
  await runCalls({
    api: {
      ask: async <Body>({ path }: Call) => {
        if (path.includes("/b/")) throw new Error("No.");
        return { state: "undoing" } as Body;
      },
    },
    action: wholeTaskAction("cancel", tasks),
    filled,
    onOutcome: ({ target }, { kind }) =>
      outcomes.set(target, `${outcomes.get(target) ?? ""} ${kind}`.trim()),
    signal: new AbortController().signal,
  });
  expect(Object.fromEntries(outcomes)).toEqual({
    a: "asked done",
    b: "asked refused",
    c: "asked done",
  });
});

test("a person who stops gets the answer of what was sent, and nothing more is sent", async () => {
  const stop = new AbortController();
  const asked: string[] = [];
  await runCalls({
    api: {
      ask: async <Body>({ path }: Call) => {
        asked.push(path);
        stop.abort();
        return null as Body;
      },
    },
    action: wholeTaskAction("pause", tasks),
    filled,
    onOutcome: () => {},
    signal: stop.signal,
  });
  expect(asked).toEqual(["/v1/tasks/a/pause"]);
});
