/** What is measured: something that processes orders of three steps. */
export interface Subject {
  /** Hands over so many orders as fast as they are taken; resolves when all are processed. */
  backlog(orders: number): Promise<void>;
  /** Processes so many orders, of which at most `width` are unfinished at any time. */
  inFlight(orders: number, width: number): Promise<void>;
  /** Processes one order; resolves when it is processed, and that is durable. */
  one(): Promise<void>;
}

export type Measurement =
  | { readonly kind: "backlog"; readonly orders: number }
  | { readonly kind: "inFlight"; readonly orders: number; readonly width: number }
  /** One order after the other. */
  | { readonly kind: "lone"; readonly orders: number };

/** Runs a measurement. Resolves to milliseconds: of each order if they were alone, else of all. */
export async function measure(
  subject: Subject,
  measurement: Measurement,
): Promise<readonly number[]> {
  switch (measurement.kind) {
    case "backlog":
      return [await timed(() => subject.backlog(measurement.orders))];
    case "inFlight":
      return [await timed(() => subject.inFlight(measurement.orders, measurement.width))];
    case "lone":
      return inTurn(measurement.orders, () => timed(() => subject.one()));
  }
}

async function timed(act: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}

async function inTurn(times: number, act: () => Promise<number>): Promise<readonly number[]> {
  const results: number[] = [];
  while (results.length < times) results.push(await act());
  return results;
}
