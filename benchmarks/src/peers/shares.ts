import type { Measurement } from "../subject.ts";

/** What each of so many processes has to do of a measurement. */
export function sharesOf(measurement: Measurement, processes: number): readonly Measurement[] {
  const shareOf = (whole: number, index: number) =>
    Math.floor((whole + processes - 1 - index) / processes);
  return Array.from({ length: processes }, (_, index) => ({
    ...measurement,
    orders: shareOf(measurement.orders, index),
    ...(measurement.kind === "inFlight" ? { width: shareOf(measurement.width, index) } : {}),
  }));
}
