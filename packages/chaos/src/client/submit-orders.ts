import { setTimeout as sleep } from "node:timers/promises";
import { submissionExchange, submissionQueue } from "@holdfast/contracts";
import type { Broker } from "@holdfast/messaging";
import { type SampleKind, sampleOrder } from "@holdfast/orders";
import type { ClientEvent } from "../checker/evidence.ts";
import { kindOf } from "./sample-kinds.ts";

interface Options {
  readonly orders: number;
  /** Orders a second. */
  readonly rate: number;
  /** Begins each idempotency key. */
  readonly run: string;
  readonly urls: () => readonly string[];
  readonly broker: Pick<Broker, "publish">;
  /** Where whoever submits wants to be told what becomes of the order. */
  readonly statusQueue: string;
  readonly record: (event: ClientEvent) => void;
  /** Ends all tries. */
  readonly signal: AbortSignal;
}

interface Order {
  readonly key: string;
  readonly kind: SampleKind;
  readonly body: string;
  readonly via: ClientEvent["via"];
}

/** `unknown`: it may have been accepted. */
type Answer = { readonly type: "ok" | "fail" | "info"; readonly taskId: string | null };

/** One order of so many comes by message. */
const byMessage = 8;
/** Milliseconds. */
const restBetweenTries = 200;
const patience = 8_000;

/**
 * Submits orders at a steady rate, whatever happens to those before. What was not answered is sent
 * again, with the same key, until it is. Resolves when every order has been answered.
 */
export async function submitOrders(options: Options): Promise<void> {
  const { orders, rate, run, signal } = options;
  const startedAt = performance.now();
  const open: Promise<void>[] = [];
  for (let index = 0; index < orders && !signal.aborted; index += 1) {
    const dueIn = startedAt + (index * 1_000) / rate - performance.now();
    if (dueIn > 0) await sleep(dueIn, undefined, { signal }).catch(() => {});
    const kind = kindOf(index);
    const order: Order = {
      key: `${run}-${index}`,
      kind,
      body: JSON.stringify(sampleOrder({ kind, seed: index })),
      via: index % byMessage === byMessage - 1 ? "message" : "http",
    };
    open.push(submit(order, options));
  }
  await Promise.all(open);
}

async function submit(order: Order, options: Options): Promise<void> {
  const { record, signal } = options;
  const { key, kind, via } = order;
  while (!signal.aborted) {
    const from = performance.now();
    const note = (type: ClientEvent["type"], taskId: string | null) =>
      record({ at: Date.now(), type, key, via, kind, taskId, tookMs: performance.now() - from });
    note("invoke", null);
    const { type, taskId } = await (via === "http"
      ? post(order, options)
      : publish(order, options));
    note(type, taskId);
    if (type !== "info") return;
    await sleep(restBetweenTries, undefined, { signal }).catch(() => {});
  }
}

async function post(order: Order, { urls, statusQueue }: Options): Promise<Answer> {
  const all = urls();
  const url = all[Math.floor(Math.random() * all.length)];
  if (url === undefined) return unknown;
  try {
    const response = await fetch(`${url}/v1/orders`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "idempotency-key": order.key,
        "reply-to": statusQueue,
        "correlation-id": order.key,
      },
      body: order.body,
      signal: AbortSignal.timeout(patience),
    });
    if (response.status === 202) {
      return { type: "ok", taskId: ((await response.json()) as { readonly id: string }).id };
    }
    return response.status >= 500 ? unknown : { type: "fail", taskId: null };
  } catch {
    return unknown;
  }
}

/** Accepted is what the broker has confirmed. */
async function publish(order: Order, { broker, statusQueue }: Options): Promise<Answer> {
  const result = await broker.publish({
    exchange: submissionExchange,
    routingKey: submissionQueue,
    type: "order",
    messageId: order.key,
    correlationId: order.key,
    replyTo: statusQueue,
    body: Buffer.from(order.body),
  });
  return result === "stored" ? { type: "ok", taskId: null } : unknown;
}

const unknown: Answer = { type: "info", taskId: null };
