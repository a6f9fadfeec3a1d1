import { systemClock } from "@holdfast/runtime";
import { expect, test } from "@jest/globals";
import { semaphore } from "./semaphore.ts";

const never = new AbortController().signal;
const slotsOf = (count: number) => semaphore(count, systemClock);
const long = 60_000;

/** Who has come in so far. */
function visitors(of: ReturnType<typeof slotsOf>) {
  const inside: string[] = [];
  return {
    inside,
    come: async (name: string, { signal = never, isFirst = false } = {}) => {
      const leave = await of.acquire(signal, long, isFirst);
      if (leave !== null) inside.push(name);
      return leave ?? (() => {});
    },
  };
}

test("callers that find no free slot get one in the order in which they came", async () => {
  const { inside, come } = visitors(slotsOf(2));
  const leaving = await Promise.all([come("a"), come("b")]);
  const late = [come("c"), come("d")];
  await new Promise(setImmediate);
  expect(inside).toEqual(["a", "b"]);
  leaving[0]();
  await late[0];
  expect(inside).toEqual(["a", "b", "c"]);
  leaving[1]();
  await late[1];
  expect(inside).toEqual(["a", "b", "c", "d"]);
});

test("a caller that stops waiting neither takes nor loses a slot", async () => {
  const { inside, come } = visitors(slotsOf(1));
  const impatient = new AbortController();
  const leave = await come("a");
  const waiting = come("b", impatient);
  const next = come("c");
  impatient.abort();
  (await waiting)();
  expect(inside).toEqual(["a"]);
  leave();
  (await next)();
  const gone = await come("d", impatient);
  gone();
  await come("e");
  expect(inside).toEqual(["a", "c", "e"]);
});

test("a caller whose time is up gets no slot, and the next caller gets it", async () => {
  const due: (() => void)[] = [];
  const slots = semaphore(1, { after: (_, act) => (due.push(act), () => {}) });
  const leave = await slots.acquire(never, 5);
  const [first, second] = [slots.acquire(never, 5), slots.acquire(never, 5)];
  due[0]?.();
  expect(await first).toBeNull();
  leave?.();
  expect(await second).not.toBeNull();
});

test("callers that are dismissed get no slot, and later callers do", async () => {
  const slots = slotsOf(1);
  const leave = await slots.acquire(never, long);
  const waiting = [slots.acquire(never, long), slots.acquire(never, long)];
  slots.dismiss();
  expect(await Promise.all(waiting)).toEqual([null, null]);
  leave?.();
  expect(await slots.acquire(never, long)).not.toBeNull();
});

test("a caller that comes first gets the next slot, before callers that waited for longer", async () => {
  const slots = slotsOf(1);
  const { inside, come } = visitors(slots);
  const leave = await come("a");
  const later = come("b");
  const urgent = come("c", { isFirst: true });
  expect(slots.taken).toBe(1);
  leave();
  (await urgent)();
  (await later)();
  expect(inside).toEqual(["a", "c", "b"]);
  expect(slots.taken).toBe(0);
});
