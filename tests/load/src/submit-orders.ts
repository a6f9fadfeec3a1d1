import { setTimeout as sleep } from "node:timers/promises";
import { type SampleKind, sampleOrder } from "@holdfast/orders";
import type { Answer, Submit } from "./submit-order.ts";

/** An order that was submitted. Its task is known once it was accepted over HTTP. */
export interface SubmittedOrder {
  readonly key: string;
  readonly kind: SampleKind;
  readonly taskId: string | null;
}

/** What a client saw of one try: `info` means that the order may have been accepted. */
export interface ClientEvent {
  readonly at: number;
  readonly type: "invoke" | "ok" | "fail" | "info";
  readonly key: string;
  readonly via: "http" | "message";
  readonly kind: SampleKind;
  readonly taskId: string | null;
  /** Milliseconds since the try began. */
  readonly tookMs: number;
}

export interface SubmitOptions {
  /** Begins each idempotency key. */
  readonly run: string;
  /** Orders a second, whatever becomes of those before. */
  readonly rate: number;
  /** How many orders at most, and for how many milliseconds: without end, unless said. */
  readonly orders?: number;
  readonly duration?: number;
  /** Goes on beyond `orders` for as long as this says so. */
  readonly goesOn?: () => boolean;
  /** Which sample order comes at which place. */
  readonly kindOf: (index: number) => SampleKind;
  /** One body for all orders; otherwise each is a sample order of its kind. */
  readonly body?: Buffer;
  readonly http: Submit;
  /** One order of eight comes by message, where there is a way to. */
  readonly message?: Submit;
  readonly replyTo?: string;
  /** `until answered`: under the same key, which is safe; the default. */
  readonly tries?: "once" | "until answered";
  /** Is called with each try, and with each order that was accepted. */
  readonly record?: (event: ClientEvent) => void;
  readonly onAccepted?: (order: SubmittedOrder) => void;
  /** Is called with each order that was refused for good. Throws unless given. */
  readonly onRefused?: (order: SubmittedOrder, why: string) => void;
  /** Ends all tries. */
  readonly signal: AbortSignal;
}

const oneByMessageOf = 8;
/** Milliseconds. */
const restBetweenTries = 200;

/**
 * Submits orders at a steady rate. An order without an answer is submitted again under the same
 * key, until it has one. Resolves when every order was answered.
 */
export async function submitOrders(options: SubmitOptions): Promise<void> {
  const { rate, orders = Number.POSITIVE_INFINITY, duration, goesOn, signal } = options;
  const startedAt = performance.now();
  const endsAt = startedAt + (duration ?? Number.POSITIVE_INFINITY);
  const open = new Set<Promise<void>>();
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const isOver = () => signal.aborted;
  const isWanted = (index: number) => index < orders || goesOn?.() === true;
  failed.catch(() => {}); // It is raised below, or no caller waits any more.
  for (let index = 0; isWanted(index) && !isOver(); index += 1) {
    const dueAt = startedAt + (index * 1_000) / rate;
    if (dueAt >= endsAt) break;
    const dueIn = dueAt - performance.now();
    if (dueIn > 0) await Promise.race([failed, pause(dueIn, signal)]);
    if (isOver()) break;
    const submitting = submit(index, options).then(() => void open.delete(submitting), reject);
    open.add(submitting);
  }
  await Promise.race([failed, Promise.all(open)]);
}

async function submit(index: number, options: SubmitOptions): Promise<void> {
  const { run, kindOf, body, replyTo, tries, signal, record, onAccepted } = options;
  const kind = kindOf(index);
  const order = { key: `${run}-${index}`, kind };
  const isMessage = options.message !== undefined && index % oneByMessageOf === oneByMessageOf - 1;
  const send = isMessage ? options.message : options.http;
  const via = isMessage ? "message" : "http";
  const request = {
    key: order.key,
    body: body ?? JSON.stringify(sampleOrder({ kind, seed: index })),
    ...(replyTo === undefined ? {} : { replyTo }),
  };
  while (!signal.aborted) {
    const from = performance.now();
    const note = (type: ClientEvent["type"], taskId: string | null): void =>
      record?.({ at: Date.now(), type, ...order, via, taskId, tookMs: performance.now() - from });
    note("invoke", null);
    const answer = await send(request);
    const taskId = answer.kind === "accepted" ? answer.taskId : null;
    note(typeOf[answer.kind], taskId);
    if (answer.kind === "accepted") return onAccepted?.({ ...order, taskId });
    if (answer.kind === "refused") return refuse({ ...order, taskId: null }, answer.why, options);
    if (tries === "once") return;
    await pause(restBetweenTries, signal);
  }
}

const typeOf = { accepted: "ok", refused: "fail", unknown: "info" } as const satisfies Record<
  Answer["kind"],
  ClientEvent["type"]
>;

function refuse(order: SubmittedOrder, why: string, { onRefused }: SubmitOptions): void {
  if (onRefused === undefined) throw new Error(`Order ${order.key} was refused: ${why}`);
  onRefused(order, why);
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {});
