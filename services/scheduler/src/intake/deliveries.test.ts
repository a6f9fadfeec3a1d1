import type { Delivery } from "@holdfast/messaging";
import { systemClock } from "@holdfast/runtime";
import { expect, test } from "@jest/globals";
import { readEach } from "./deliveries.ts";

/** Reads for so many milliseconds of the processor. */
function busyFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const clock = { clock: systemClock };

const batch = Array.from({ length: 12 }, (_, index) => ({ messageId: `${index}` }) as Delivery);

test("a batch of expensive messages leaves others their turn of the event loop", async () => {
  let turns = 0;
  const count = setImmediate(function again() {
    turns += 1;
    setImmediate(again).unref();
  });
  const { readable } = await readEach(
    batch,
    ({ messageId }) => {
      busyFor(11);
      return messageId;
    },
    clock,
  );
  clearImmediate(count);
  expect(readable).toEqual(batch.map(({ messageId }) => messageId));
  expect(turns).toBeGreaterThanOrEqual(batch.length - 1);
});

test("messages that cannot be read are kept apart from the others", async () => {
  const { readable, unreadable } = await readEach(
    batch,
    ({ messageId }) => {
      if (messageId === "3") throw new Error("no message");
      return messageId;
    },
    clock,
  );
  expect(readable).toHaveLength(batch.length - 1);
  expect(unreadable).toMatchObject([
    { delivery: { messageId: "3" }, error: { message: "no message" } },
  ]);
});
