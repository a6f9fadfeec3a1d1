import { markdownTable } from "@holdfast/load";
import type { Figures } from "../flat/figures.ts";
import type { BenchOptions } from "../options.ts";
import type { Setting } from "../setting.ts";

/** What a measurement of waits is given. */
export interface PowerContext {
  readonly options: BenchOptions;
  readonly serverUrl: string;
  readonly brokerUrl: string;
  readonly say: (line: string) => void;
}

/** A store with so many open waits. */
export interface StoreWithWaits {
  readonly waits: number;
  readonly figures: Figures;
  /** Statements that a Scheduler at rest sent meanwhile. */
  readonly statements: number;
}

export interface WaitFigures {
  /** Seconds in which the statements of a Scheduler at rest were counted. */
  readonly seconds: number;
  /** The store in which nothing waits, and the one with waits. */
  readonly stores: readonly [StoreWithWaits, StoreWithWaits];
  /** How many times as long as where nothing waits: medians of the rounds' own ratios. */
  readonly ratios: Figures;
  readonly statementsRatio: number;
}

export interface TimerFigures {
  /** Waits that were due at once. */
  readonly timers: number;
  /** Seconds from the first that ended to the last. */
  readonly seconds: number;
  readonly perSecond: number;
}

export interface SignalFigures {
  /** Signals that were sent as fast as they go. */
  readonly signals: number;
  /** Milliseconds from a signal to the claim of the step after the one that waited for it. */
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
}

export interface ScheduleFigures {
  /** Schedules with the same instant. */
  readonly schedules: number;
  /** Seconds from the instant until the last of them had fired. */
  readonly seconds: number;
  /** Seconds from the instant until each had its task. */
  readonly taskSeconds: number;
}

export interface PowerResult extends Setting {
  /** The load average of the machine before it began. */
  readonly load: number;
  readonly rounds: number;
  readonly waits: WaitFigures;
  readonly timers: TimerFigures;
  readonly signals: SignalFigures;
  readonly schedules: ScheduleFigures;
}

const count = (value: number): string => value.toLocaleString("en-GB");

/** Each figure beside its goal. */
function figuresTable({ waits, timers, signals, schedules }: PowerResult): string {
  const { stores, ratios, statementsRatio } = waits;
  const [, { waits: open }] = stores;
  return markdownTable(
    ["key", "goal", "measured", "what it is"],
    [
      [
        "`claimWithWaits`",
        "1.05 at most",
        ratios.claimP99.toFixed(3),
        `the p99 of claims beside ${count(open)} open waits, divided by that where nothing waits`,
      ],
      [
        "`idleWithWaits`",
        "1.05 at most",
        statementsRatio.toFixed(3),
        "the statements of a Scheduler at rest, compared in the same way",
      ],
      [
        "`timersPerSecond`",
        "5,000 at least",
        count(Math.round(timers.perSecond)),
        `waits that one Scheduler ends a second when ${count(timers.timers)} are due at once`,
      ],
      [
        "`signalP99`",
        "30 ms at most",
        `${signals.p99.toFixed(1)} ms`,
        `from a signal in the store to the claim of the next step, fifty signals a second; p50 ${signals.p50.toFixed(1)} ms`,
      ],
      [
        "`signalsPerSecond`",
        "2,000 at least",
        count(Math.round(signals.perSecond)),
        `signals that one process takes a second over HTTP, of ${count(signals.signals)}`,
      ],
      [
        "`schedulesFired`",
        "5 s at most",
        `${schedules.seconds.toFixed(1)} s`,
        `until one process has fired ${count(schedules.schedules)} schedules of one minute; each had its task after ${schedules.taskSeconds.toFixed(1)} s`,
      ],
    ],
  );
}

/** The page that tells what waits cost, and what they leave for steps that ask Agents. */
export function report(result: PowerResult): string {
  const { waits, timers, rounds, ...setting } = result;
  const { stores, seconds } = waits;
  return `# The cost of steps that wait

Written by \`npm run bench -- --power\`; do not edit. ${setting.date}, ${setting.machine}, Postgres ${setting.postgres}, every commit synced to the disk. Load average before: ${setting.load}.

${figuresTable(result)}

One connection claims up to nine steps at a time, then saves their replies in a transaction, as a Scheduler does: ${rounds} rounds, the stores in turn in each. Milliseconds; medians over the rounds. Statements are those of one Scheduler at rest in ${seconds} s.

${markdownTable(
  ["open waits", "claim p50", "p99", "reply p50", "p99", "statements"],
  stores.map(({ waits: held, figures, statements }) => [
    count(held),
    figures.claimP50.toFixed(2),
    figures.claimP99.toFixed(2),
    figures.replyP50.toFixed(2),
    figures.replyP99.toFixed(2),
    count(statements),
  ]),
)}

The ${count(timers.timers)} waits ended in ${timers.seconds.toFixed(1)} s, from the first to the last by the store's clock. The Scheduler started when all were due, as after an outage, and no invariant was broken afterwards.
`;
}
