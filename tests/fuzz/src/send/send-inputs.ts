import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { hostileInput, type InputClassName } from "../inputs/hostile-input.ts";
import type { DecisionContext, HostileInput, HostileRequest } from "../inputs/input.ts";
import type { MessageSender } from "./send-messages.ts";
import { type Answer, openRequestSender } from "./send-requests.ts";
import type { SentLog } from "./sent-log.ts";

/** What was sent, and what came back at once. */
export interface Tally {
  sent: number;
  /** Inputs that were refused by the broker, or with a 4xx or a documented 503. */
  refused: number;
  fivexx: number;
  /** Requests that were neither answered nor hung up on. */
  unanswered: number;
  /** Ids of orders that were accepted over HTTP. */
  readonly accepted: string[];
  readonly byTarget: Map<string, number>;
  readonly byClass: Map<string, number>;
}

export const newTally = (): Tally => ({
  sent: 0,
  refused: 0,
  fivexx: 0,
  unanswered: 0,
  accepted: [],
  byTarget: new Map(),
  byClass: new Map(),
});

interface Options {
  readonly seed: number;
  /** The number of the first input. */
  readonly from: number;
  /** Inputs a second. */
  readonly rate: number;
  readonly around: DecisionContext;
  /** What they are hostile by. */
  readonly classes: readonly InputClassName[];
  /** A process of this service. */
  readonly urlOf: (service: HostileRequest["service"]) => string;
  readonly messages: MessageSender;
  readonly tally: Tally;
  readonly log: SentLog;
}

const limits = { messages: 300, requests: 32, damaged: 16 } as const;
/** Milliseconds between two rounds of sending. */
const round = 10;

/**
 * Sends hostile inputs at a steady rate until the signal. Resolves to the number after the last.
 */
export async function sendInputs(options: Options, signal: AbortSignal): Promise<number> {
  const { seed, from, rate, classes, messages, tally, log } = options;
  const around = { ...options.around, classes };
  using requests = openRequestSender(limits.requests);
  const slots = {
    messages: openSlots(limits.messages),
    requests: openSlots(limits.requests),
    damaged: openSlots(limits.damaged),
  };
  const startedAt = performance.now();
  let index = from;
  while (!signal.aborted) {
    const due = from + ((performance.now() - startedAt) * rate) / 1_000;
    for (; index < due && !isOver(signal); index += 1) {
      const number = index;
      const input = hostileInput(seed, number, around);
      log.add(number, input);
      tally.byClass.set(input.inputClass, (tally.byClass.get(input.inputClass) ?? 0) + 1);
      const send = async () => count(input, tally, await deliver(input, number));
      await slots[slotOf(input)].run(send);
      // Inputs that are late follow one another at once, but answers are read between them.
      await nextTurn();
    }
    await sleep(round, undefined, { signal }).catch(() => {});
  }
  await Promise.all(Object.values(slots).map((one) => one.drained()));
  return index;

  async function deliver(input: HostileInput, number: number): Promise<Outcome> {
    if (input.kind === "message") return await messages.send(input);
    try {
      const answer = await requests.send(options.urlOf(input.service), input);
      const outcome = judgeAnswer(input, answer, tally);
      if (outcome === "fivexx") log.writeOne("fivexx", number, input);
      return outcome;
    } catch {
      log.writeOne("unanswered", number, input);
      return "unanswered";
    }
  }
}

/** Asked anew each time: it may be over after each wait. */
const isOver = (signal: AbortSignal): boolean => signal.aborted;

type Outcome = "taken" | "refused" | "fivexx" | "unanswered";

const slotOf = (input: HostileInput) => {
  if (input.kind === "message") return "messages";
  return input.manner === "raw" || input.manner === "slow" ? "damaged" : "requests";
};

export function count(
  { target }: Pick<HostileInput, "target">,
  tally: Tally,
  outcome: Outcome,
): void {
  tally.sent += 1;
  tally.byTarget.set(target, (tally.byTarget.get(target) ?? 0) + 1);
  if (outcome !== "taken") tally[outcome] += 1;
}

function judgeAnswer(
  { target, path }: HostileRequest,
  answer: Answer | null,
  tally: Tally,
): Outcome {
  // Hung up on: for some requests there is no other answer.
  if (answer === null) return "refused";
  const { status, retryAfter, body } = answer;
  // Of a damaged request that turned out whole only the status is read; the store knows its order.
  if (status === 202 && target === "POST order" && body !== "") tally.accepted.push(idIn(body));
  if (status < 400) return "taken";
  if (status < 500) return "refused";
  const isDocumented = status === 503 && (retryAfter || path === "/health/ready");
  return isDocumented ? "refused" : "fivexx";
}

const idIn = (body: string): string => (JSON.parse(body) as { readonly id: string }).id;

/** Lets so many be under way at a time. */
interface Slots {
  /**
   * Resolves when there is room; what is done with it ends with `work`. Its failures are the
   * caller's.
   */
  run(work: () => Promise<void>): Promise<void>;
  /** Resolves when nothing is under way. */
  drained(): Promise<void>;
}

function openSlots(limit: number): Slots {
  const open = new Set<Promise<void>>();
  return {
    async run(work) {
      while (open.size >= limit) await Promise.race(open);
      const task = work().finally(() => open.delete(task));
      open.add(task);
    },
    async drained() {
      await Promise.all(open);
    },
  };
}
