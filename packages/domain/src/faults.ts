export interface FaultOptions extends ErrorOptions {
  /** Facts for the log line. Never secrets, never payloads. */
  readonly details?: Readonly<Record<string, string | number | boolean>>;
}

/**
 * Anything that can go wrong on purpose. `code` (`area.what`) is part of the public contract: it is
 * stored, sent to other languages and alerted on, so it never changes once released. `message` is
 * for people.
 */
export abstract class Fault extends Error {
  /** Whether doing the same thing again can help. */
  abstract readonly transient: boolean;
  readonly code: string;
  readonly details: NonNullable<FaultOptions["details"]>;

  constructor(code: string, message: string, { details = {}, ...options }: FaultOptions = {}) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.details = details;
  }
}

/** The remote service is down, slow or busy: the step goes back to pending and is tried again. */
export class TransientFault extends Fault {
  readonly transient = true;
}

/** Trying again cannot help, such as a declined card: the step ends in error at once. */
export class PermanentFault extends Fault {
  readonly transient = false;
}

/** A message, a definition or a configuration breaks its contract. */
export class ContractFault extends PermanentFault {}

/**
 * A right, a password or a schema of the surroundings is wrong. Doing it again helps only after an
 * operator has changed that; what was to be done is not to blame.
 */
export class SetupFault extends PermanentFault {}
