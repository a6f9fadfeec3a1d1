import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { type Dice, diceOf } from "../inputs/dice.ts";
import { messageTargets, messageTo } from "../inputs/hostile-message.ts";
import type { DecisionContext, HostileMessage } from "../inputs/input.ts";
import { type InputClass, inputClasses } from "../inputs/input-classes.ts";
import { type Consumer, consumers, type Witnesses } from "./consumers.ts";
import type { MessageSender } from "./send-messages.ts";

/** How long a good message took behind as many others as its consumer prefetches. */
export interface Volley {
  readonly target: string;
  /** Milliseconds, behind valid messages. */
  readonly behindValid: number;
  /** Milliseconds, behind deep ones. */
  readonly behindDeep: number;
}

/**
 * Milliseconds: a good message is recorded in less, behind valid ones, on any machine that is worth
 * a measurement.
 */
const aMoment = 300;
const slowest = 10;

/** Whether a good message waited for deep ones in a way that their number does not explain. */
export const isStalled = ({ behindValid, behindDeep }: Volley): boolean =>
  behindDeep > slowest * Math.max(aMoment, behindValid);

interface Firing {
  readonly around: DecisionContext;
  readonly seen: Witnesses;
  readonly messages: MessageSender;
  readonly sent: (message: HostileMessage) => void;
}

interface Options extends Firing {
  readonly seed: number;
  readonly fired: (volley: Volley) => void;
}

/**
 * Milliseconds between two looks into the store, and after which a message counts as never
 * recorded.
 */
const interval = 20;
const timeout = 60_000;
/**
 * Milliseconds after which the good one is sent once more: a hint may be lost with the channel of
 * who listens.
 */
const again = 2_000;
/** Messages that are made in one turn of the event loop. */
const turn = 10;
/** Milliseconds between two volleys: the system is to work, too. */
const pause = 300;
/** Volleys have dice apart from those of the inputs. */
const firstIndex = 2_000_000_000;

const valid: InputClass = {
  name: "damaged",
  body: (_, make) => ({
    body: Buffer.from(JSON.stringify(make())),
    changes: [],
    contentType: "application/json",
  }),
  properties: () => ({}),
  headers: () => ({}),
};

/**
 * Sends as many deep messages at once as a consumer prefetches, with a good one behind them, and
 * before that as many valid ones: the two are compared, so that no slow machine is taken for a
 * consumer that stands still.
 */
export async function sendVolleys(options: Options, signal: AbortSignal): Promise<void> {
  const { seed, fired } = options;
  const isOver = (): boolean => signal.aborted;
  for (let index = 0; !isOver(); index += 1) {
    const dice = diceOf(seed, firstIndex + index);
    const consumer = consumers[index % consumers.length]!;
    const behindValid = await fireValid(consumer, dice, options, signal);
    if (isOver()) return;
    const behindDeep = await fireDeep(consumer, dice, options, signal);
    fired({ target: consumer.target, behindValid, behindDeep });
    await sleep(pause, undefined, { signal }).catch(() => {});
  }
}

/** Resolves to how long the good message took behind valid ones, in milliseconds. */
export const fireValid = (
  consumer: Consumer,
  dice: Dice,
  options: Firing,
  signal: AbortSignal,
): Promise<number> =>
  fire(consumer, dice, { ...options, sent: () => {}, inputClass: valid, signal });

/** Resolves to how long the good message took behind deep ones, in milliseconds. */
export const fireDeep = (
  consumer: Consumer,
  dice: Dice,
  options: Firing,
  signal: AbortSignal,
): Promise<number> => fire(consumer, dice, { ...options, inputClass: inputClasses.deep, signal });

type Volleyed = Firing & { readonly inputClass: InputClass; readonly signal: AbortSignal };

async function fire(consumer: Consumer, dice: Dice, volley: Volleyed): Promise<number> {
  const { around, messages, seen, sent, signal } = volley;
  const { message, isRecorded } = consumer.good(dice.uuid(), around.userId);
  const publishing: Promise<unknown>[] = [];
  for (let left = consumer.count; left > 0; left -= 1) {
    const one = messageFor(consumer, dice, volley);
    sent(one);
    publishing.push(messages.send(one));
    // To make them takes a while: what comes back meanwhile is read.
    if (left % turn === 0) await nextTurn();
  }
  const common = {
    kind: "message",
    target: "good message",
    changes: [],
    closesChannel: false,
  } as const;
  const sendGood = () => messages.send({ ...common, ...message });
  await Promise.all([...publishing, sendGood()]);
  const begun = performance.now();
  let sentAt = begun;
  while (!(await isRecorded(seen))) {
    const now = performance.now();
    if (now - begun > timeout || signal.aborted) break;
    if (now - sentAt > again) {
      sentAt = now;
      await sendGood();
    }
    await sleep(interval);
  }
  return performance.now() - begun;
}

/** One message of a volley, no larger than it is read. */
function messageFor(
  { target: name, to, maxBytes }: Consumer,
  dice: Dice,
  { around, inputClass }: Volleyed,
): HostileMessage {
  const target = messageTargets.find((one) => one.name === name)!;
  for (;;) {
    const message = { ...messageTo(target, dice, { around, inputClass }), ...to };
    if (message.body.length <= maxBytes) return message;
  }
}
