import { type Duration, parseDuration } from "./duration.ts";
import type { AgentCode, FaultCode, KnownCode } from "./fault-codes.ts";
import type { Milliseconds } from "./workflow-definition.ts";

/** What stands beside the details: the compiler refuses it among them. */
type MisplacedOptions = { readonly [Name in "effect" | "retryAfter" | "retryAfterMs"]?: never };

export interface FaultOptions extends ErrorOptions {
  /** Facts for the log line. Never secrets, never payloads. */
  readonly details?: Readonly<Record<string, string | number | boolean>> & MisplacedOptions;
  /**
   * `none`: the remote service did nothing under this key, and never will, so nothing is to be
   * undone. Left out where that is not sure.
   */
  readonly effect?: "none";
}

export interface TransientFaultOptions extends FaultOptions {
  /**
   * The time in which no attempt is to begin: a duration such as `30s`, or milliseconds; an hour at
   * most, unless the step's policy has a longer delay. What is no duration counts as left out.
   */
  readonly retryAfter?: Duration | Milliseconds;
}

const optionsOfFaults: ReadonlySet<string> = new Set(["cause", "details", "effect", "retryAfter"]);
/** Options that are looked for among the details in vain. */
const noDetails: ReadonlySet<string> = new Set(["effect", "retryAfter", "retryAfterMs"]);

/**
 * Throws a `TypeError` for what a program without types says in vain: a step would be undone that
 * had no effect.
 */
function mustBeKnown(options: object, details: object): void {
  const unknown = Object.keys(options).find((name) => !optionsOfFaults.has(name));
  const misplaced = Object.keys(details).find((name) => noDetails.has(name));
  const name = unknown ?? misplaced;
  if (name === undefined) return;
  const where = unknown === undefined ? "in the details of a fault" : "of a fault";
  throw new TypeError(
    `${name} is no option ${where}: say { effect: "none" }, { retryAfter: "30s" } or { details: { … } }`,
  );
}

/**
 * Anything that can go wrong on purpose. `code` (`area.what`) is part of the public contract: it is
 * stored, sent to other languages and alerted on, so it never changes once released. `message` is
 * for people. The compiler refuses a code in one of Holdfast's areas that its catalogue
 * (`faultCodes`) does not have.
 */
export abstract class Fault<Code extends string = FaultCode | AgentCode> extends Error {
  /** Whether doing the same thing again can help. */
  abstract readonly transient: boolean;
  readonly code: FaultCode | AgentCode;
  readonly details: NonNullable<FaultOptions["details"]>;
  /** What the remote service did; null: it may have done something. */
  readonly effect: "none" | null;

  constructor(code: Code & KnownCode<Code>, message: string, options: FaultOptions = {}) {
    const { details = {}, effect = null } = options;
    super(message, "cause" in options ? { cause: options.cause } : {});
    mustBeKnown(options, details);
    this.name = new.target.name;
    this.code = code;
    this.details = details;
    this.effect = effect === "none" ? effect : null;
  }
}

/** The remote service is down, slow or busy: the step goes back to pending and is tried again. */
export class TransientFault<Code extends string = FaultCode | AgentCode> extends Fault<Code> {
  readonly transient = true;
  /** Milliseconds in which no attempt is to begin; null: the policy of the step says when. */
  readonly retryAfter: Milliseconds | null;

  constructor(code: Code & KnownCode<Code>, message: string, options: TransientFaultOptions = {}) {
    super(code, message, options);
    const { retryAfter } = options;
    const ms =
      typeof retryAfter === "string"
        ? parseDuration(retryAfter)
        : Math.ceil(retryAfter ?? Number.NaN);
    this.retryAfter = Number.isSafeInteger(ms) && ms >= 0 ? ms : null;
  }
}

/** Trying again cannot help, such as a declined card: the step ends in error at once. */
export class PermanentFault<Code extends string = FaultCode | AgentCode> extends Fault<Code> {
  readonly transient = false;
}

/** A message, a definition or a configuration breaks its contract. */
export class ContractFault<
  Code extends string = FaultCode | AgentCode,
> extends PermanentFault<Code> {}

/**
 * A right, a password or a schema of the surroundings is wrong. Doing it again helps only after an
 * operator has changed that; what was to be done is not to blame.
 */
export class SetupFault<Code extends string = FaultCode | AgentCode> extends PermanentFault<Code> {}

/**
 * What is wrong with a reply or with the output in it, as Holdfast finds it: the work may be done
 * all the same.
 */
export const replyFaults: ReadonlySet<string> = new Set<FaultCode>([
  "step.output_invalid",
  "step.output_too_costly",
  "step.output_unstorable",
  "step.reply_invalid",
]);
