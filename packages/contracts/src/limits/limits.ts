/**
 * The bounds of everything that comes from outside, in one place: what the state store can keep,
 * and what one process can hold. Schemas, consumers and the Agent SDK all refer to them.
 */
export const limits = {
  /** The largest `integer` of Postgres. */
  integer: 2 ** 31 - 1,
  /** The largest message that is parsed, in bytes, unless `MAX_MESSAGE_BYTES` says otherwise. */
  messageBytes: 1024 * 1024,
  /** The largest hint or heartbeat, in bytes. */
  hintBytes: 16 * 1024,
  /** The largest payload, in bytes of JSON. */
  payloadBytes: 256 * 1024,
  /** The largest payload of a signal, in bytes of JSON. */
  signalBytes: 64 * 1024,
  /** The largest input of a schedule, in bytes of JSON: many are read at a time. */
  scheduleBytes: 64 * 1024,
  /** How deep a payload may be nested. */
  payloadDepth: 32,
  /**
   * How deep a message is read: a payload of the deepest, with what may stand around it, and some
   * to spare.
   */
  messageDepth: 40,
  /**
   * How many values a message may have, as they are counted before it is parsed: more than two of
   * the largest payloads can have, for an undo is given what went in and what came out.
   */
  messageValues: 360_000,
  /** How many messages one bundle may hold. */
  bundleParts: 1_000,
  /** Places in a submission that an answer names as wrong. */
  refusals: 50,
  /**
   * Steps in which a value is checked against a schema of a workflow: 25 ms or so. A step is a part
   * of the schema that looks at a part of the value, a quarter of one that fails, or a place in a
   * pattern at one character.
   */
  checkSteps: 1_000_000,
  /** Steps of one task: each call, and its undo. */
  steps: 200,
  /**
   * Operations that a heartbeat names: with the longest names, and contracts, it still fits into
   * `hintBytes`.
   */
  operations: 128,
  /** Characters of the hash of a contract. It tells contracts apart, and protects nothing. */
  contract: 12,
  /** Contracts of which a request says that instances with them cannot read it. */
  unfitContracts: 16,
  /** Attempts of which one message says that they run. */
  signs: 100,
  /**
   * Milliseconds. An Agent acknowledges a request early whose attempt may take as long: a broker
   * closes the channel of a consumer that keeps a message for half an hour, by default.
   */
  longAttempt: 600_000,
  /** Lengths of texts, in characters. */
  name: 200,
  code: 200,
  key: 400,
  instant: 40,
  /** What a handler says of its progress. */
  note: 200,
  /** Characters of a text for people, such as what a fault says. */
  words: 2_000,
  /** The longest property of an AMQP message: the protocol allows no longer one. */
  property: 255,
  /** Labels of one task, and the characters of the name and of the text of each. */
  labels: 16,
  labelName: 63,
  label: 200,
  /** Days within which a task must begin. */
  beginDays: 366,
} as const;
