import { type StartOptions, startService } from "@holdfast/local-system";
import { connectBroker, wakeHint } from "@holdfast/messaging";
import { migrate, openStateStore, type StateStore } from "@holdfast/state-store";
import { threeSteps } from "./workflow.ts";

/** Holdfast with one Scheduler and one process of Agents, and what submits to it. */
export interface Holdfast {
  readonly store: StateStore;
  /** Tells the Schedulers that something is due. */
  readonly hint: () => void;
  /** The ids of its processes, by part. */
  readonly pids: { readonly scheduler: number; readonly agents: number };
}

export interface HoldfastOptions extends Pick<StartOptions, "nodeOptions" | "onLog"> {
  /** Of an empty database. */
  readonly databaseUrl: string;
  readonly brokerUrl: string;
}

const quiet = { warn: () => {}, error: () => {} };

/** Starts it; `owner` stops it when it is disposed. */
export async function startHoldfast(
  owner: AsyncDisposableStack,
  { databaseUrl, brokerUrl, ...tap }: HoldfastOptions,
): Promise<Holdfast> {
  await migrate(databaseUrl);
  const store = owner.use(
    await openStateStore({ url: databaseUrl, applicationName: "bench", maxConnections: 2 }),
  );
  await store.registerWorkflow(threeSteps.definition);
  const shared = { BROKER_URL: brokerUrl, LOG_LEVEL: "info" };
  const agents = owner.use(
    await startService({ service: "packages/bench/src/agent.ts", env: shared, ...tap }),
  );
  const scheduler = owner.use(
    await startService({
      service: "scheduler",
      env: { ...shared, STATE_STORE_URL: databaseUrl },
      ...tap,
    }),
  );
  const broker = owner.use(
    await connectBroker({
      url: brokerUrl,
      name: "bench",
      topology: "passive",
      agents: [],
      log: quiet,
    }),
  );
  return {
    store,
    hint: wakeHint(broker),
    pids: { scheduler: scheduler.pid, agents: agents.pid },
  };
}
