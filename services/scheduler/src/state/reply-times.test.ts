import type { ClaimedStep } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { openState, replied } from "../../test/state.ts";

const longest = 3_000;

function watching() {
  const clock = { at: 0, now: () => clock.at, after: () => () => {} };
  const { state, see } = openState({ clock });
  const publish = (token: string, claimedAt: number): void => {
    const claim = { token, now: 0, completeBy: 60_000 } as ClaimedStep;
    see({ kind: "publishing", claim, claimedAt });
  };
  return {
    replies: {
      awaited: publish,
      answered: (token: string): void =>
        see(replied("payments", { kind: "completed", step: "charge", attempt: 1, token })),
      failed: (token: string): void => see({ kind: "unpublished", token }),
      usual: (): number => state.requests.usualReply,
    },
    pass: (ms: number) => {
      clock.at += ms;
      return clock.at;
    },
    now: () => clock.at,
  };
}

/** The usual time after requests that were answered so many milliseconds after their claims. */
function usualAfter(...times: readonly number[]): number {
  const { replies, pass, now } = watching();
  for (const [index, time] of times.entries()) {
    replies.awaited(`step ${index}`, now());
    pass(time);
    replies.answered(`step ${index}`);
  }
  return replies.usual();
}

test.each([
  ["nothing, as long as nothing is known", [], 0],
  ["the middle one", [10, 900, 40], 40],
  ["not moved by a few that are slow", [10, 10, 10, 10, 10, 2_000, 2_000, 2_000, 2_000], 10],
  ["what it has become", [...Array(9).fill(10), ...Array(5).fill(700)] as number[], 700],
  ["at most the longest that is of interest", [60_000], longest],
])("the usual reply time is %s", (_, times, usual) => {
  expect(usualAfter(...times)).toBe(usual);
});

test("one request is timed until its reply comes, and later, quicker ones do not replace it", () => {
  const { replies, pass, now } = watching();
  replies.awaited("slow", now());
  for (const quick of ["a", "b", "c"]) {
    replies.awaited(quick, pass(100));
    pass(1);
    replies.answered(quick);
  }
  expect(replies.usual()).toBe(0);
  replies.answered("slow");
  expect(replies.usual()).toBe(303);
});

test("a timed request without a reply is replaced by the next, and counts as the longest", () => {
  const { replies, pass, now } = watching();
  replies.awaited("lost", now());
  replies.awaited("next", pass(longest));
  pass(20);
  replies.answered("lost");
  expect(replies.usual()).toBe(longest);
  replies.answered("next");
  replies.awaited("last", now());
  pass(30);
  replies.answered("last");
  expect(replies.usual()).toBe(30);
});

test("a request that could not be sent is not timed", () => {
  const { replies, pass, now } = watching();
  replies.awaited("unroutable", now());
  replies.failed("unroutable");
  replies.awaited("sent", pass(500));
  pass(7);
  replies.answered("sent");
  expect(replies.usual()).toBe(7);
});
