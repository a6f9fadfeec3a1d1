import { randomUUID } from "node:crypto";
import { documentedOrder, overHttp, submitOrders } from "@holdfast/load";

/** Orders that come in at a rate of their own. Disposing ends them. */
export interface SteadyLoad extends Disposable {
  readonly taken: number;
  readonly refused: number;
}

/** Submits so many orders a second, each once, however long the answers take. */
export function submitSteadily(url: string, ordersPerSecond: number): SteadyLoad {
  const count = { taken: 0, refused: 0 };
  const over = new AbortController();
  void submitOrders({
    run: randomUUID(),
    rate: ordersPerSecond,
    kindOf: () => "good",
    body: documentedOrder(),
    http: overHttp(() => [url]),
    tries: "once",
    record: ({ type }) => {
      if (type === "ok") count.taken += 1;
      else if (type !== "invoke") count.refused += 1;
    },
    onRefused: () => {},
    signal: over.signal,
  });
  return {
    get taken() {
      return count.taken;
    },
    get refused() {
      return count.refused;
    },
    [Symbol.dispose]: () => over.abort(),
  };
}
