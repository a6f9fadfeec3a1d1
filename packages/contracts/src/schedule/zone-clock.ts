import type { Instant, Milliseconds } from "@holdfast/domain";

/** A time that clocks show, in milliseconds since 1970 as if it were of UTC. */
type ShownTime = number;

/** The clocks of a time zone. */
export interface ZoneClock {
  /** What they show at an instant. */
  at(instant: Instant): ShownTime;
  /** The latest time that they have shown up to an instant: another one while one comes twice. */
  latestBy(instant: Instant): ShownTime;
  /** The first instant at which they show a time or a later one, where it does not exist. */
  firstAt(time: ShownTime): Instant;
}

const second: Milliseconds = 1_000;
/** No time is so far from UTC, and none comes again so much later. */
const furthest: Milliseconds = 36 * 3_600_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** How Intl writes the times of a zone; making one takes long. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(zone, made);
  return made;
}

/** The clocks of a zone that exists. Two of its changes are days apart. */
export function zoneClock(zone: string): ZoneClock {
  const format = formatOf(zone);
  const aheadAt = (instant: Instant): Milliseconds => {
    const whole = Math.floor(instant / second) * second;
    const parts = format.formatToParts(whole);
    const part = (type: string): number =>
      Number(parts.find((one) => one.type === type)?.value ?? 0);
    const [year, month, day] = [part("year"), part("month"), part("day")];
    return Date.UTC(year, month - 1, day, part("hour"), part("minute"), part("second")) - whole;
  };
  /** The first instant at which clocks are not as far ahead as at `from`, of which `to` is one. */
  const changeIn = (from: Instant, to: Instant): Instant => {
    const ahead = aheadAt(from);
    let [same, other] = [Math.floor(from / second), Math.ceil(to / second)];
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2);
      if (aheadAt(middle * second) === ahead) same = middle;
      else other = middle;
    }
    return other * second;
  };
  return {
    at: (instant) => instant + aheadAt(instant),
    latestBy(instant) {
      const before = instant - furthest;
      const [was, is] = [aheadAt(before), aheadAt(instant)];
      if (was <= is) return instant + is;
      return Math.max(instant + is, changeIn(before, instant) + was - 1);
    },
    firstAt(time) {
      const [from, to] = [time - furthest, time + furthest];
      const [was, becomes] = [aheadAt(from), aheadAt(to)];
      if (was === becomes) return time - was;
      const change = changeIn(from, to);
      return time < change + was ? time - was : Math.max(change, time - becomes);
    },
  };
}
