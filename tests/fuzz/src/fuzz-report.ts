/** What a run came to. */
export interface FuzzReport {
  readonly seed: number;
  readonly sent: number;
  /** Answered with 4xx or a documented 503, refused by the broker, or kept as a rejected reply. */
  readonly refused: number;
  readonly deadLettered: number;
  /** Processes that ended by themselves. */
  readonly crashed: number;
  /** Tasks, queues, consumers and requests that did not come to an end. */
  readonly stalled: number;
  readonly fivexx: number;
  /** Orders that were accepted, and did not end as they must. */
  readonly lost: number;
  readonly doubled: number;
  readonly violations: number;
  /** Orders of the shop that were accepted, hostile ones included. */
  readonly orders: number;
  /** How long 99 % of the orders took before the first hostile input. */
  readonly p99QuietMs: number;
  readonly p99FuzzMs: number;
  /** Rounds of as many deep messages at once as a consumer prefetches, and then a good one. */
  readonly volleys: number;
  /** How long 99 % of the good ones took behind as many valid messages, and behind deep ones. */
  readonly p99BehindValidMs: number;
  readonly p99BehindDeepMs: number;
  /**
   * The longest time for which the event loop of each service stood still while hostile inputs
   * came.
   */
  readonly longestLoopMs: Readonly<Record<string, number>>;
  /**
   * The longest transaction of a service, of those that were seen in a look each tenth of a second.
   */
  readonly longestTransactionMs: number;
  /** The number after the last input. */
  readonly next: number;
  /** Inputs by what they are hostile by; volleys are counted with them. */
  readonly byClass: Readonly<Record<string, number>>;
  readonly byTarget: Readonly<Record<string, number>>;
  /** Warnings and errors that the services logged. */
  readonly logged: Readonly<Record<string, number>>;
  /** The first things that are wrong, in words. */
  readonly witnesses: readonly string[];
}

/** Whether nothing crashed, stalled, failed or was lost. */
export const isClean = (report: FuzzReport): boolean =>
  report.sent > 0 &&
  report.crashed + report.stalled + report.fivexx + report.lost + report.doubled === 0 &&
  report.violations === 0;
