import { type Broker, cancelHints, wakeHint } from "@holdfast/messaging";
import {
  type Clock,
  type Failpoint,
  type Logger,
  type Metrics,
  noMetrics,
  repeat,
  sleep,
  systemClock,
  type Tracing,
} from "@holdfast/runtime";
import type { SupervisorStore } from "@holdfast/state-store";
import { recoverExpiredSteps } from "./recover/recover-expired-steps.ts";
import { delayRecovery } from "./recover/recovery-delay.ts";
import { replanStalledTasks } from "./recover/replan-stalled-tasks.ts";
import { replyProbes } from "./recover/reply-probes.ts";
import { supervisorMetrics } from "./supervisor-metrics.ts";

/**
 * What recovering asks of the state store: a Supervisor also counts, deletes, and applies bulk
 * operations.
 */
export type RecoveryStore = Pick<
  SupervisorStore,
  | "applyEvents"
  | "askForProof"
  | "findExpired"
  | "findStalledTasks"
  | "raisePathAlert"
  | "rememberOutage"
>;

export interface SupervisorOptions {
  readonly store: RecoveryStore;
  /** The broker, to hint at the Schedulers and Agents, and to find out whether replies arrive. */
  readonly broker: Pick<Broker, "publish" | "inspect">;
  readonly clock?: Clock;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  /** What this instance signs with. */
  readonly actor: string;
  /**
   * How long it sleeps at most, in milliseconds. In between it wakes for the earliest complete-by
   * time.
   */
  readonly scanInterval: number;
  /** How often it looks for stalled tasks, which wait for no event, in milliseconds. */
  readonly sweepInterval: number;
  /** How long it waits, after it could not look for a while, for replies that waited as well. */
  readonly recoveryDelay: number;
  /** What counts; nothing unless given. */
  readonly metrics?: Metrics;
  /** The tracing of what it does; none unless given. */
  readonly tracing?: Tracing;
}

/** Milliseconds. */
const probeTimeout = 30_000;
/**
 * Rests for each sweep: where many tasks are open, sweeping takes a twentieth of the time at most.
 */
const restFactor = 19;

/** One Supervisor: `once` for cron, `run` until the signal aborts. */
export function supervisor(options: SupervisorOptions) {
  const { store, broker, log, failpoint, actor, clock = systemClock } = options;
  const { metrics = noMetrics } = options;
  const probes = replyProbes({ store, broker, clock, log });
  const recover = recoverExpiredSteps({
    store,
    broker,
    clock,
    recoveryDelay: delayRecovery({ recoveryDelay: options.recoveryDelay, log, clock }),
    probes,
    hint: wakeHint(broker),
    cancel: cancelHints(broker),
    log,
    failpoint,
    actor,
    rest: options.scanInterval,
    scanned: metrics.counter(supervisorMetrics.scans),
    recovered: metrics.counter(supervisorMetrics.recoveries),
    ...(options.tracing === undefined ? {} : { tracing: options.tracing }),
  });
  const replan = replanStalledTasks({
    store,
    log,
    actor,
    replanned: metrics.counter(supervisorMetrics.replanned),
  });
  const sweep = async (): Promise<number> => {
    const from = clock.now();
    return (await replan()) ? options.sweepInterval : restFactor * (clock.now() - from);
  };
  return {
    /** One scan, for as long as it finds something, and one sweep; waits for probes under way. */
    async once(signal: AbortSignal): Promise<void> {
      const until = clock.now() + probeTimeout;
      for (;;) {
        const pause = await recover();
        if (pause === 0) continue;
        if (probes.outFor() === 0 || signal.aborted || clock.now() > until) break;
        await sleep(clock, pause, signal);
      }
      while (!(await replan()));
    },
    /** Resolves after the last round. */
    async run(signal: AbortSignal): Promise<void> {
      const repeated = { signal, log, clock, metrics };
      const scans = repeat(recover, { name: "recover", ...repeated });
      const sweeps = repeat(sweep, { name: "replan", ...repeated });
      await Promise.all([scans.ended, sweeps.ended]);
    },
  };
}
