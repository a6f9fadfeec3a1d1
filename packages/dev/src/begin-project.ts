import type { DisposableStack } from "@holdfast/runtime/disposable-stack";
import { openStateStore, type StateStore } from "@holdfast/state-store";
import type { AgentProcesses } from "./agents/agent-processes.ts";
import { openAgentQueues } from "./project/agent-queues.ts";
import type { KnownOperations } from "./project/find-gaps.ts";
import type { WorkflowLoader } from "./project/load-workflows.ts";
import { findProjectFiles } from "./project/project-files.ts";
import { openWorkflowSync, type WorkflowSync } from "./project/sync-project.ts";
import { takeSnapshot, watchProject } from "./project/watch-project.ts";
import type { Project } from "./services/claim-servers.ts";
import type { Places, Services } from "./services/start-services.ts";

/** What runs once the first task can be done. */
export interface Begun {
  readonly api: string;
  readonly sync: WorkflowSync;
  /** The operations of all Agents. */
  readonly known: () => Promise<KnownOperations>;
  /**
   * Calls back with the files that are saved after they were loaded; what it loads itself is
   * watched once it is done.
   */
  readonly watch: (act: (files: ReadonlySet<string>) => Promise<void>) => AsyncDisposable;
}

interface Parts {
  readonly services: Services;
  readonly loader: WorkflowLoader;
  readonly agents: AgentProcesses;
  /** Releases what is opened. */
  readonly stack: DisposableStack;
  readonly brokerUp: Promise<void>;
  readonly folder: string;
  readonly owner: Project;
  readonly say: (line: string) => void;
}

/**
 * Starts everything while RabbitMQ still starts: it waits for the broker, and has nothing else left
 * to do then.
 */
export async function beginProject(places: Places, parts: Parts): Promise<Begun> {
  const { services, loader, agents, stack, brokerUp, folder, owner, say } = parts;
  const store = stack.use(await openStore(places));
  const queues = openAgentQueues(places.brokerUrl, brokerUp);
  const sync = openWorkflowSync({ store, loader, queues, folder, storedBy: storedBy(owner), say });
  const [before, begunAt] = [takeSnapshot(folder), Date.now()];
  const files = findProjectFiles(folder);
  const [api] = await Promise.all([
    services.begin(places),
    sync.apply(files.workflows),
    ...files.agents.map((file) => agents.start(file)),
  ]);
  const known = () => operationsOf(store, agents);
  const made = () => [...loader.seen, ...[...agents.files.values()].flat()];
  const watch: Begun["watch"] = (act) => {
    const watching = watchProject(folder, before, (saved) => {
      const from = Date.now();
      void act(saved).then(() => watching.also(made(), from));
    });
    watching.also(made(), begunAt);
    return watching;
  };
  return { api, sync, known, watch };
}

/** The name under which a project stores workflows, and knows its own again. */
const storedBy = ({ project }: Project): string => `holdfast dev ${project}`;

const openStore = ({ stateStoreUrl: url }: Places): Promise<StateStore> =>
  openStateStore({ url, applicationName: "holdfast dev", maxConnections: 2 });

/**
 * Agents that run here say what they can do; of the others it is known what they have announced.
 */
async function operationsOf(
  store: Pick<StateStore, "findKnownAgents">,
  agents: Pick<AgentProcesses, "operations">,
): Promise<KnownOperations> {
  const announced = (await store.findKnownAgents()).map(
    ({ agent, operations }) => [agent, operations] as const,
  );
  return new Map([...announced, ...agents.operations()]);
}
