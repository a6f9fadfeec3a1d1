import { expect, test } from "@jest/globals";
import { pino } from "pino";
import { sampleLogs } from "./sample-logs.ts";

function sampled() {
  const lines: { readonly msg: string; readonly suppressed?: number; readonly n?: number }[] = [];
  const timers: (() => void)[] = [];
  const clock = {
    now: () => 0,
    after: (_: number, act: () => void) => (timers.push(act), () => {}),
  };
  const log = pino(
    { hooks: { logMethod: sampleLogs(clock) } },
    {
      write: (line: string) => void lines.push(JSON.parse(line)),
    },
  );
  return { log, lines, endInterval: () => timers.splice(0).forEach((act) => act()) };
}

test("the log has the first 20 equal warnings of a second, and then the number that was suppressed", () => {
  const { log, lines, endInterval } = sampled();
  for (let n = 1; n <= 50; n += 1) log.warn({ n }, "message too large");
  log.error({ n: 51 }, "another message");
  expect(lines).toHaveLength(21);
  expect(lines.at(-1)).toMatchObject({ n: 51, msg: "another message" });
  endInterval();
  expect(lines.slice(21)).toEqual([
    expect.objectContaining({ level: 40, suppressed: 30, msg: "message too large" }),
  ]);
  log.warn({ n: 52 }, "message too large");
  expect(lines.at(-1)).toMatchObject({ n: 52 });
  endInterval();
  expect(lines).toHaveLength(23);
});

test("the log has all lines that are not warnings", () => {
  const { log, lines } = sampled();
  for (let n = 1; n <= 50; n += 1) log.info("step answered");
  expect(lines).toHaveLength(50);
});
