import { join } from "node:path";
import { type AnswerVerdict, judgeAnswers, type Pushed, pushOrders, rounded } from "@holdfast/load";
import { createDatabase, holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import type { BenchOptions } from "../options.ts";
import { limitCpu } from "../scale/limit-cpu.ts";
import { startHoldfast } from "../start-holdfast.ts";
import { orderSteps } from "../workflow.ts";
import { watchSubmission } from "./watch-submission.ts";

/** Connections enough to fill a transaction, and the next one. */
const connections = 400;
const times = 3;
/** Seconds. */
const warmUp = 5;
/**
 * The share of a core that submission has: so much less than there is that what sends the orders
 * can send three times as many.
 */
const share = 0.3;

interface Figures {
  readonly acceptedPerSecond: number;
  readonly refusedPerSecond: number;
  /** Milliseconds. */
  readonly p99Accepted: number;
  readonly p99Refused: number;
  readonly others: Readonly<Record<number, number>>;
  readonly broken: number;
  /** MiB. */
  readonly mostMemory: number;
  readonly probes: number;
  readonly failedProbes: number;
  readonly p99Probe: number;
}

export interface OverloadResult extends AnswerVerdict {
  /** The figures at the rate that submission can take, with the queue full. */
  readonly full: Figures;
  /** The figures at three times that rate. */
  readonly overload: Figures;
}

/** Measures what becomes of orders when three times as many come in as can be taken. */
export async function measureOverload(
  { seconds, without }: BenchOptions,
  say: (line: string) => void,
): Promise<OverloadResult> {
  await using owner = new AsyncDisposableStack();
  const dataFolder = join(holdfastFolder(), "bench");
  const stack = owner.use(
    await startLocalStack({ purpose: "demo", dataFolder, fresh: true, log: say }),
  );
  const { url: databaseUrl } = owner.use(await createDatabase(stack.postgres.url));
  const { system } = await startHoldfast(owner, {
    databaseUrl,
    brokerUrl: stack.broker.url,
    workflow: orderSteps.definition,
    submissions: 1,
    without,
  });
  const { pid = 0 } = system.running("submission")[0] ?? {};
  const target = { url: system.submissionUrl, pid };
  const all: Pushed[] = [];
  const push = async (name: string, how: { connections: number; rate: number | null }) => {
    const [pushed, seen] = await watchSubmission(target, () =>
      pushOrders({ url: target.url, load: { seconds }, ...how }),
    );
    all.push(pushed);
    const figures: Figures = {
      acceptedPerSecond: Math.round(pushed.accepted.length / pushed.seconds),
      refusedPerSecond: Math.round(pushed.refused.length / pushed.seconds),
      p99Accepted: rounded(pushed.p99Accepted, 1),
      p99Refused: rounded(pushed.p99Refused, 1),
      others: pushed.others,
      broken: pushed.broken,
      ...seen,
      p99Probe: rounded(seen.p99Probe, 1),
    };
    say(
      `${name}: ${figures.acceptedPerSecond}/s accepted, p99 ${figures.p99Accepted} ms; ${figures.refusedPerSecond}/s refused, p99 ${figures.p99Refused} ms; memory at most ${figures.mostMemory} MiB; ${figures.failedProbes} of ${figures.probes} probes failed`,
    );
    return figures;
  };

  all.push(
    await pushOrders({ url: target.url, connections, load: { seconds: warmUp }, rate: null }),
  );
  owner.use(await limitCpu(pid, share));
  const full = await push("full", { connections, rate: null });
  const overload = await push("overload", {
    connections: times * connections,
    rate: times * full.acceptedPerSecond,
  });
  return { full, overload, ...(await judgeAnswers(databaseUrl, all)) };
}
