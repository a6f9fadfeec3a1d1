import type { WorkflowDefinition } from "@holdfast/domain";
import { connectBroker, wakeHint } from "@holdfast/messaging";
import {
  type ServiceName,
  type ServiceProcess,
  type System,
  type SystemOptions,
  startSystem,
} from "@holdfast/processes";
import { openStateStore, type StateStore } from "@holdfast/state-store";
import { Client } from "pg";
import { finishListener } from "./finish-listener.ts";
import { threeSteps } from "./workflow.ts";

/** Holdfast with its Schedulers and its processes of Agents, and what submits to it. */
export interface Holdfast {
  readonly system: System;
  readonly store: StateStore;
  /** Which of these tasks are not finished. Asked for often, so it looks at no other. */
  readonly findUnfinished: (taskIds: readonly string[]) => Promise<readonly string[]>;
  /** Resolves when a task that is marked as `watched` is finished. */
  readonly finished: (taskId: string) => Promise<void>;
  /** Tells the Schedulers that something is due. */
  readonly hint: () => void;
  /** The ids of its processes, by part. */
  readonly pids: Readonly<Record<string, number>>;
}

/** How many processes there are of a part, and their settings beyond the usual ones. */
interface PartOptions {
  readonly count?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface HoldfastOptions extends Pick<SystemOptions, "nodeOptions" | "onLog"> {
  /** The URL of an empty database. */
  readonly databaseUrl: string;
  readonly brokerUrl: string;
  /** One, unless said otherwise. They ask the store as the role `holdfast_scheduler`. */
  readonly schedulers?: PartOptions;
  readonly agents?: PartOptions & { readonly program?: string };
  /** What is submitted: the three steps, unless said otherwise. */
  readonly workflow?: WorkflowDefinition;
  /** Processes of the Supervisor; none, unless said otherwise. */
  readonly supervisors?: number;
  /** Processes that take orders over HTTP; none, unless said otherwise. */
  readonly submissions?: number;
  /** Processes where operators act; none, unless said otherwise. */
  readonly operations?: number;
  /** Environment variables that the services get besides the usual ones. */
  readonly submissionEnv?: Readonly<Record<string, string>>;
  /** Optimisations that the services leave out. */
  readonly without: readonly string[];
}

const quiet = { warn: () => {}, error: () => {} };

/** Starts it; `owner` stops it when it is disposed. */
export async function startHoldfast(
  owner: AsyncDisposableStack,
  options: HoldfastOptions,
): Promise<Holdfast> {
  const { databaseUrl, brokerUrl, workflow = threeSteps.definition } = options;
  const system = owner.use(await startSystem(systemOf(options, workflow)));
  const store = owner.use(
    await openStateStore({ url: databaseUrl, applicationName: "bench", maxConnections: 2 }),
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
    system,
    store,
    findUnfinished: await unfinishedFinder(owner, databaseUrl),
    finished: await finishListener(owner, databaseUrl),
    hint: wakeHint(broker),
    pids: {
      ...pidsOf("scheduler", system.running("scheduler")),
      ...pidsOf("agents", system.running("agent")),
    },
  };
}

/** All services share the broker's administrator, and declare what they need. */
function systemOf(options: HoldfastOptions, workflow: WorkflowDefinition): SystemOptions {
  const {
    databaseUrl,
    brokerUrl,
    schedulers = {},
    agents = {},
    supervisors = 0,
    submissions = 0,
    operations = 0,
    submissionEnv = {},
    without,
  } = options;
  const { nodeOptions, onLog } = options;
  const count: Readonly<Record<ServiceName, number>> = {
    partners: 0,
    operations,
    supervisor: supervisors,
    submission: submissions,
    scheduler: schedulers.count ?? 1,
    agent: agents.count ?? 1,
  };
  return {
    stateStoreUrl: databaseUrl,
    // Turns share a broker, one after the other, each with a database of its own.
    broker: { url: brokerUrl, importDefinitions: null, takesOver: true },
    workflows: [workflow],
    count,
    programs: { agent: `benchmarks/src/${agents.program ?? "agent.ts"}` },
    env: {
      submission: { DEFAULT_WORKFLOW: workflow.name, ...submissionEnv },
      scheduler: { LOG_LEVEL: "info", ...schedulers.env },
      agent: { LOG_LEVEL: "info", ...agents.env },
    },
    without,
    ...(nodeOptions === undefined ? {} : { nodeOptions }),
    ...(onLog === undefined ? {} : { onLog }),
  };
}

async function unfinishedFinder(owner: AsyncDisposableStack, databaseUrl: string) {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  owner.defer(() => client.end());
  const find = {
    name: "find-unfinished",
    text: "select task_id, finished_at is null as is_open from state.tasks where task_id = any($1::uuid[])",
  };
  return async (taskIds: readonly string[]): Promise<readonly string[]> => {
    const { rows } = await client.query<{ task_id: string; is_open: boolean }>({
      ...find,
      values: [taskIds],
    });
    return rows.filter((row) => row.is_open).map((row) => row.task_id);
  };
}

const pidsOf = (part: string, processes: readonly ServiceProcess[]) =>
  Object.fromEntries(
    processes.map(({ pid }, index) => [index === 0 ? part : `${part} ${index + 1}`, pid]),
  );
