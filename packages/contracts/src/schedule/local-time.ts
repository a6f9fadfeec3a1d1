import type { Instant } from "@holdfast/domain";

/** An instant as clocks of a zone show it, with its offset: `2026-11-29T02:30:00+01:00`. */
export function localTime(zone: string, instant: Instant): string {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "longOffset",
  }).formatToParts(instant);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? "";
  const offset = /[+-]\d{2}:\d{2}/.exec(part("timeZoneName"))?.[0] ?? "+00:00";
  const date = `${part("year")}-${part("month")}-${part("day")}`;
  return `${date}T${part("hour")}:${part("minute")}:${part("second")}${offset}`;
}
