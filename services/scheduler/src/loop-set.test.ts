import { noMetrics } from "@holdfast/runtime";
import { expect, test } from "@jest/globals";
import { testClock } from "../test/clock.ts";
import { lastingLoops, loopSet } from "./loop-set.ts";

const log = { error: () => {}, info: () => {} };

test("loops end with their signal, and lasting ones go on until they are disposed of", async () => {
  const stopping = new AbortController();
  const dependencies = { log, clock: testClock(), metrics: noMetrics };
  const loops = loopSet<"claim">({ ...dependencies, signal: stopping.signal });
  const lasting = lastingLoops<"outages">(dependencies);
  const rounds: string[] = [];
  const round = (name: string) => async () => {
    rounds.push(name);
    return 60_000;
  };
  const wakeBoth = async (): Promise<void> => {
    loops.wake("claim");
    lasting.wake("outages");
    await new Promise(setImmediate);
  };
  loops.start([{ name: "claim", round: round("claim") }]);
  lasting.start([{ name: "outages", round: round("outages") }]);
  await new Promise(setImmediate);
  stopping.abort();
  await loops.ended();
  await wakeBoth();
  expect(rounds).toEqual(["claim", "outages", "outages"]);
  lasting[Symbol.dispose]();
  await lasting.ended();
  await wakeBoth();
  expect(rounds).toHaveLength(3);
});
