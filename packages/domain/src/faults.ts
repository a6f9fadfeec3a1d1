import type { AgentCode, FaultCode, KnownCode } from "./fault-codes.ts";

export interface FaultOptions extends ErrorOptions {
  /** Facts for the log line. Never secrets, never payloads. */
  readonly details?: Readonly<Record<string, string | number | boolean>>;
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

  constructor(
    code: Code & KnownCode<Code>,
    message: string,
    { details = {}, ...options }: FaultOptions = {},
  ) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.details = details;
  }
}

/** The remote service is down, slow or busy: the step goes back to pending and is tried again. */
export class TransientFault<Code extends string = FaultCode | AgentCode> extends Fault<Code> {
  readonly transient = true;
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

/** What is wrong with a reply or with the output in it, as Holdfast finds it: the work may be done all the same. */
export const replyFaults: ReadonlySet<string> = new Set<FaultCode>([
  "step.output_invalid",
  "step.output_too_costly",
  "step.output_unstorable",
  "step.reply_invalid",
]);
