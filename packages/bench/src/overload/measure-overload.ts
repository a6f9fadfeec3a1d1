import { join } from "node:path";
import { createDatabase, holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import { asRole, startService } from "@holdfast/local-system";
import type { BenchOptions } from "../options.ts";
import { limitCpu } from "../scale/limit-cpu.ts";
import { startHoldfast } from "../start-holdfast.ts";
import { rounded } from "../statistics.ts";
import { orderSteps } from "../workflow.ts";
import { judgePushed, type PushVerdict } from "./judge-pushed.ts";
import { type Pushed, pushOrders } from "./push-orders.ts";
import { watchSubmission } from "./watch-submission.ts";

/** As many as fill a transaction, and as many as the next one. */
const connections = 400;
const times = 3;
/** Seconds. */
const warmUp = 5;
/** Of a core: so much less than there is that what sends the orders can send three times as many. */
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

export interface OverloadResult extends PushVerdict {
  /** At the rate that submission can take, with the queue full. */
  readonly full: Figures;
  /** At three times that rate. */
  readonly overload: Figures;
}

/** Measures what becomes of orders when three times as many come in as can be taken. */
export async function measureOverload(
  { seconds }: BenchOptions,
  say: (line: string) => void,
): Promise<OverloadResult> {
  await using owner = new AsyncDisposableStack();
  const dataFolder = join(holdfastFolder(), "bench");
  const stack = owner.use(
    await startLocalStack({ purpose: "demo", dataFolder, fresh: true, log: say }),
  );
  const { url: databaseUrl } = owner.use(await createDatabase(stack.postgres.url));
  await startHoldfast(owner, {
    databaseUrl,
    brokerUrl: stack.broker.url,
    workflow: orderSteps.definition,
  });
  const submission = owner.use(
    await startService({
      service: "submission",
      env: {
        STATE_STORE_URL: asRole(databaseUrl, "holdfast_submission"),
        BROKER_URL: stack.broker.url,
        WORKFLOW: orderSteps.name,
        HTTP_HOST: "127.0.0.1",
        HTTP_PORT: "0",
      },
    }),
  );
  const target = { url: String(submission.ready["url"]), pid: submission.pid };
  const all: Pushed[] = [];
  const push = async (name: string, load: { connections: number; rate: number | null }) => {
    const [pushed, seen] = await watchSubmission(target, () =>
      pushOrders({ url: target.url, seconds, ...load }),
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

  all.push(await pushOrders({ url: target.url, connections, seconds: warmUp, rate: null }));
  owner.use(await limitCpu(submission.pid, share));
  const full = await push("full", { connections, rate: null });
  const overload = await push("overload", {
    connections: times * connections,
    rate: times * full.acceptedPerSecond,
  });
  return { full, overload, ...(await judgePushed(databaseUrl, all)) };
}
