import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { inFlight } from "./in-flight.ts";

test("all calls are made, and never more than the limit at once", async () => {
  let done = 0;
  let now = 0;
  let most = 0;
  const act = async () => {
    now += 1;
    most = Math.max(most, now);
    await turn();
    now -= 1;
    done += 1;
  };
  await inFlight(act, { times: 10, width: 3 });
  expect({ done, most }).toEqual({ done: 10, most: 3 });
});
