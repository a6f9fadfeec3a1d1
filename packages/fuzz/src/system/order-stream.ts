import { setTimeout as sleep } from "node:timers/promises";
import { submissionQueue } from "@holdfast/contracts";
import { type SampleKind, sampleOrder } from "@holdfast/orders";
import type { MessageSender } from "../send/send-messages.ts";

/** An order of the stream; its id is known once it was accepted over HTTP. */
export interface StreamedOrder {
  readonly key: string;
  readonly kind: SampleKind;
  taskId: string | null;
}

interface Options {
  readonly url: () => string;
  readonly messages: MessageSender;
  readonly userId: string;
  /** Orders a second. */
  readonly rate: number;
  /** Begins each idempotency key. */
  readonly run: string;
  readonly accepted: (order: StreamedOrder) => void;
}

/** Without those that the partners make wait on purpose: how long the others take is measured. */
const kinds: readonly SampleKind[] = ["good", "good", "good", "unshippable", "good", "declined"];
/** One order of so many comes by message. */
const byMessage = 8;
/** Milliseconds. */
const restBetweenTries = 200;

/** Submits orders at a steady rate until the signal, each again with its key until it is accepted. */
export async function streamOrders(options: Options, signal: AbortSignal): Promise<void> {
  const { rate, run } = options;
  const startedAt = performance.now();
  const open: Promise<void>[] = [];
  for (let index = 0; !signal.aborted; index += 1) {
    const kind = kinds[index % kinds.length] ?? "good";
    const order = { key: `${run}-${index}`, kind, taskId: null };
    open.push(submit(order, index, options));
    const nextIn = startedAt + ((index + 1) * 1_000) / rate - performance.now();
    if (nextIn > 0) await sleep(nextIn, undefined, { signal }).catch(() => {});
  }
  await Promise.all(open);
}

/** Milliseconds after which an order counts as refused for good: something stands still. */
const giveUpAfter = 60_000;

async function submit(order: StreamedOrder, index: number, options: Options): Promise<void> {
  const giveUpAt = performance.now() + giveUpAfter;
  const body = JSON.stringify(sampleOrder({ kind: order.kind, seed: index }));
  const isMessage = index % byMessage === byMessage - 1;
  while (performance.now() < giveUpAt) {
    const isAccepted = isMessage
      ? await publish(order, body, options)
      : await post(order, body, options);
    if (isAccepted) return options.accepted(order);
    await sleep(restBetweenTries);
  }
}

async function post(order: StreamedOrder, body: string, { url }: Options): Promise<boolean> {
  try {
    const response = await fetch(`${url()}/v1/orders`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": order.key },
      body,
      signal: AbortSignal.timeout(10_000),
    });
    const answer = (await response.json()) as { readonly id: string };
    if (response.status !== 202) return false;
    order.taskId = answer.id;
    return true;
  } catch {
    return false; // It is sent again with the same key.
  }
}

async function publish(
  { key }: StreamedOrder,
  body: string,
  { messages, userId }: Options,
): Promise<boolean> {
  const published = await messages.send({
    kind: "message",
    target: "order",
    changes: [],
    exchange: "",
    routingKey: submissionQueue,
    body: Buffer.from(body),
    properties: { type: "order", messageId: key, userId, persistent: true },
    closesChannel: false,
  });
  return published === "taken";
}
