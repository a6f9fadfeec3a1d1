import { expect, test } from "@jest/globals";
import { replyTimes } from "./reply-times.ts";

const longest = 3_000;

function watching() {
  let now = 0;
  const replies = replyTimes({ now: () => now }, longest);
  return {
    replies,
    pass: (ms: number) => {
      now += ms;
      return now;
    },
    now: () => now,
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
