import { setTimeout as sleep } from "node:timers/promises";
import { type SampleKind, sampleOrder } from "@holdfast/orders";
import { kindOf } from "./sample-orders.ts";

/** An order that was accepted. */
export interface AcceptedOrder {
  readonly id: string;
  readonly kind: SampleKind;
}

interface Options {
  readonly submissionUrl: string;
  /** Null: no end. */
  readonly orders: number | null;
  readonly signal: AbortSignal;
  readonly onAccepted: (order: AcceptedOrder) => void;
}

/** Milliseconds between two orders: slow enough to watch. */
const pace = 250;

/** Submits sample orders over HTTP. What was not answered is sent again, with the same key. */
export async function submitOrders(options: Options): Promise<void> {
  const { submissionUrl, orders, signal, onAccepted } = options;
  const run = crypto.randomUUID();
  const last = orders ?? Number.POSITIVE_INFINITY;
  for (let index = 0; index < last && !signal.aborted; index += 1) {
    const kind = kindOf(index);
    const id = await submitOrder(`${submissionUrl}/v1/orders`, {
      key: `${run}-${index}`,
      body: JSON.stringify(sampleOrder({ kind, seed: index })),
      signal,
    });
    if (id !== null) onAccepted({ id, kind });
    await sleep(pace, undefined, { signal }).catch(() => {});
  }
}

async function submitOrder(
  url: string,
  {
    key,
    body,
    signal,
  }: { readonly key: string; readonly body: string; readonly signal: AbortSignal },
): Promise<string | null> {
  const headers = { "content-type": "application/json", "idempotency-key": key };
  while (!signal.aborted) {
    const response = await fetch(url, { method: "POST", headers, body }).catch(() => null);
    if (response?.status === 202) return ((await response.json()) as { readonly id: string }).id;
    if (response !== null && response.status < 500) {
      throw new Error(`An order was refused: ${await response.text()}`);
    }
    await sleep(pace, undefined, { signal }).catch(() => {});
  }
  return null;
}
