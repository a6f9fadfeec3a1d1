/** Numbers that look drawn, the same for the same seed: from 0 to below 1. */
export function drawn(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const months = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");
const weekdays = "SUN MON TUE WED THU FRI SAT".split(" ");

/** What is drawn, from one row of numbers. */
function draws(random: () => number) {
  const below = (end: number) => Math.floor(random() * end);
  const from = (least: number, most: number) => least + below(most - least + 1);
  const one = <T>(of: readonly T[]): T => of[below(of.length)]!;
  const list = (make: () => number, least: number) =>
    [...new Set(Array.from({ length: from(least, 4) }, make))].join(",");
  const range = (least: number, most: number) => {
    const first = from(least, most - 1);
    return `${first}-${from(first, most)}`;
  };
  return { from, one, list, range };
}
type Draws = ReturnType<typeof draws>;

/** Minutes and hours, many of them when clocks change. */
function timesOf({ from, one, list, range }: Draws) {
  const minute = () =>
    one([
      () => `${from(0, 59)}`,
      () => one(["0", "30"]),
      () => list(() => from(0, 59), 2),
      () => range(0, 59),
      () => `*/${one([5, 7, 15, 20, 30, 45, 60])}`,
      () => `${range(0, 59)}/${from(1, 30)}`,
      () => `${from(0, 9)},${range(10, 59)}/${from(2, 20)}`,
      () => "*",
    ])();
  const nightly = () => one([0, 1, 2, 3, 23, 22]);
  const hour = () =>
    one([
      () => `${nightly()}`,
      () => `${nightly()}`,
      () => `${from(0, 23)}`,
      () => list(nightly, 1),
      () => one(["0-3", "1-2", "2-3", "22-23", "0-23"]),
      () => `*/${one([2, 3, 6, 12, 24])}`,
      () => `${range(0, 23)}/${from(1, 6)}`,
      () => "*",
    ])();
  return { minute, hour };
}

/** Days of months, months and days of weeks. */
function daysOf({ from, one, list, range }: Draws) {
  const date = () =>
    one([
      () => `${from(1, 31)}`,
      () => list(() => from(1, 31), 2),
      () => range(1, 31),
      () => `*/${from(2, 31)}`,
      () => `${range(1, 31)}/${from(1, 10)}`,
      () => "L",
      () => `${from(1, 28)},L`,
    ])();
  const month = () =>
    one([
      () => `${from(1, 12)}`,
      () => one(months),
      () => `${one(months)},${one(months).toLowerCase()}`,
      () => one(["MAR-NOV", "3-4", "10-11", "1-12"]),
      () => `*/${from(2, 6)}`,
      () => "2-11/3",
    ])();
  const weekday = () =>
    one([
      () => `${from(0, 7)}`,
      () => one(weekdays),
      () => `${one(weekdays)},${one(weekdays).toLowerCase()}`,
      () => one(["MON-FRI", "1-5", "5-7", "FRI-SUN", "MON-FRI/2", "*/2"]),
      () => `${one(weekdays)}#${from(1, 5)}`,
      () => `${one(weekdays)}L`,
      () => `${from(0, 6)}L,${from(0, 6)}#${from(1, 4)}`,
    ])();
  return { date, month, weekday };
}

/** Cron expressions of all shapes that schedules take, many of them at hours when clocks change. */
export function randomCrons(seed: number, count: number): readonly string[] {
  const random = drawn(seed);
  const drawing = draws(random);
  const { minute, hour } = timesOf(drawing);
  const { date, month, weekday } = daysOf(drawing);
  return Array.from({ length: count }, () => {
    const days = random();
    const fields = [minute(), hour()];
    if (days < 0.4) fields.push("*", "*", "*");
    else {
      const has = () => random() < 0.5;
      fields.push(has() ? date() : "*", has() ? month() : "*", has() ? weekday() : "*");
    }
    return fields.join(" ");
  });
}
