import { systemClock } from "@holdfast/runtime";
import { expect, test } from "@jest/globals";
import { places as placesBy } from "./places.ts";

const never = new AbortController().signal;
const places = (count: number) => placesBy(count, systemClock);
const long = 60_000;

/** Who has come in so far. */
function visitors(of: ReturnType<typeof places>) {
  const inside: string[] = [];
  return {
    inside,
    come: async (name: string, signal = never) => {
      const leave = await of.take(signal, long);
      if (leave !== null) inside.push(name);
      return leave ?? (() => {});
    },
  };
}

test("so many come in at once, and the others in the order of coming, each when one leaves", async () => {
  const { inside, come } = visitors(places(2));
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

test("who gives up waiting takes no place, and leaves none behind", async () => {
  const { inside, come } = visitors(places(1));
  const impatient = new AbortController();
  const leave = await come("a");
  const waiting = come("b", impatient.signal);
  const next = come("c");
  impatient.abort();
  (await waiting)();
  expect(inside).toEqual(["a"]);
  leave();
  (await next)();
  const gone = await come("d", impatient.signal);
  gone();
  await come("e");
  expect(inside).toEqual(["a", "c", "e"]);
});

test("who has waited for as long as it may gets no place, and the next one is not kept from it", async () => {
  const due: (() => void)[] = [];
  const slots = placesBy(1, { after: (_, act) => (due.push(act), () => {}) });
  const leave = await slots.take(never, 5);
  const [first, second] = [slots.take(never, 5), slots.take(never, 5)];
  due[0]?.();
  expect(await first).toBeNull();
  leave?.();
  expect(await second).not.toBeNull();
});
