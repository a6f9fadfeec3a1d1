import type { StepReply } from "@holdfast/contracts";
import type { AgentDriver, Answer } from "./agent-driver.ts";
import type { Case, Cases } from "./cases.ts";

/** What was found about one rule. */
export interface Verdict {
  readonly state: "holds" | "broken" | "skipped";
  readonly text: string;
}

/** What the rules ask with. */
export interface RuleContext {
  readonly driver: AgentDriver;
  readonly cases: Cases;
  /** How often the effect of this key was made; null: no command tells. */
  readonly countEffects: (key: string) => Promise<number | null>;
  /** Cuts the Agent's connections to the broker; null: the broker's HTTP API is not known. */
  readonly cutConnections: (() => Promise<number>) | null;
  /**
   * Stops the Agent in order, and resolves once it has ended, to whether it did in time; null: not
   * said how.
   */
  readonly stopAgent: (() => Promise<boolean>) | null;
}

export interface Rule {
  readonly name: string;
  check(context: RuleContext): Promise<Verdict>;
}

export const holds = (text: string): Verdict => ({ state: "holds", text });
export const broken = (text: string): Verdict => ({ state: "broken", text });
export const skipped = (text: string): Verdict => ({ state: "skipped", text });

/** Milliseconds that a step has which is to end in time. */
export const ample = 10_000;
/** Milliseconds in which a second reply to the same request would come. */
export const quiet = 400;

/** How the text about silence begins. */
export const noReply = "no reply";

type Outcome = StepReply["outcome"];

/**
 * Sends the request of a case, and resolves to its one outcome, or to what is wrong with the
 * replies.
 */
export async function outcomeOf(
  { driver }: RuleContext,
  asked: Case,
  withinMs = ample,
): Promise<{ readonly outcome: Outcome; readonly afterMs: number } | Verdict> {
  const request = driver.request(asked, { workMs: withinMs });
  await driver.send(request);
  await driver.answers(request.taskId, 1, withinMs + quiet);
  return oneOutcome(await driver.answers(request.taskId, 2, quiet), withinMs);
}

/** The outcome on which all replies agree, or what is wrong with them. */
export function oneOutcome(
  answers: readonly Answer[],
  withinMs: number,
): { readonly outcome: Outcome; readonly afterMs: number } | Verdict {
  const [first] = answers;
  if (first === undefined) return broken(`${noReply} within ${withinMs} ms`);
  const [fault] = answers.flatMap(({ faults }) => faults);
  if (fault !== undefined) return broken(`a reply is wrong: ${fault}`);
  const { reply, afterMs } = first;
  if (reply === null) return broken("a reply cannot be read");
  const said = new Set(answers.map((answer) => outcomeText(answer.reply?.outcome ?? null)));
  if (said.size > 1) {
    return broken(`${answers.length} replies to one request differ: ${[...said].join(" and ")}`);
  }
  return { outcome: reply.outcome, afterMs };
}

/** What of an outcome must be the same in each reply: `redelivered` may differ. */
function outcomeText(outcome: Outcome | null): string {
  if (outcome?.kind !== "failed") return JSON.stringify(outcome);
  const { kind, code, transient } = outcome;
  return JSON.stringify({ kind, code, transient });
}

/** How an outcome reads in a line. */
export function describe(outcome: Outcome): string {
  if (outcome.kind !== "failed") return outcome.kind;
  return `failed (${outcome.code}${outcome.transient ? ", transient" : ""}: ${outcome.message.slice(0, 100)})`;
}

export const isVerdict = (found: object): found is Verdict => "state" in found;

/** Whether the effect of a key was made once; null: so it is, or no command tells. */
export async function effectFault(
  { countEffects }: RuleContext,
  key: string,
): Promise<string | null> {
  const times = await countEffects(key);
  return times === null || times === 1 ? null : `the effect was made ${times} times`;
}
