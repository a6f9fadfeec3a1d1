import { readPages } from "./pages.ts";
import type { Send } from "./request.ts";
import type {
  ActOptions,
  Agent,
  Examination,
  Failures,
  FailuresQuery,
  ListedWorkflow,
  Overview,
  Pause,
  Remote,
  Statistics,
  StatisticsQuery,
  StoredWorkflow,
  System,
  Verification,
  WorkflowStored,
} from "./types.ts";

type Act = Pick<ActOptions, "reason" | "actor" | "signal">;

/** Workflows, Agents and remote services, for operators. Lists are all pages of them. */
export interface OperationCalls {
  readonly workflows: {
    list(): Promise<readonly ListedWorkflow[]>;
    /** One workflow with its definition; without a version the active one. */
    get(name: string): Promise<StoredWorkflow>;
    /**
     * Stores a definition; `isNew` is false if it was stored already. A new version becomes active
     * once its Agents are known, unless `storeOnly` is set: `active` says which one is, `waitsFor`
     * what is missing.
     */
    store(
      definition: { readonly name: string },
      how?: { readonly storeOnly?: boolean },
    ): Promise<WorkflowStored & { readonly isNew: boolean }>;
    /** Makes a version what its name without a version means, also an earlier one. */
    activate(name: string, how: Act & { readonly allowUnknownAgents?: boolean }): Promise<void>;
    retire(name: string, how: Act): Promise<void>;
    reinstate(name: string, how: Act): Promise<void>;
    pause(name: string, how: Act): Promise<void>;
    resume(name: string, how: Act): Promise<void>;
  };
  readonly agents: {
    list(): Promise<readonly Agent[]>;
    pause(name: string, how: Act): Promise<void>;
    resume(name: string, how: Act): Promise<void>;
  };
  readonly remotes: {
    list(): Promise<readonly Remote[]>;
    open(name: string, how: Act): Promise<void>;
    close(name: string, how: Act): Promise<void>;
  };
  readonly pauses: { list(): Promise<readonly Pause[]> };
  /** How the system is, and what needs an operator. */
  overview(): Promise<Overview>;
  /** What happened over time. */
  statistics(query?: StatisticsQuery): Promise<Statistics>;
  /** Failures that are alike, in groups: the latest first. */
  failures(query?: FailuresQuery): Promise<Failures>;
  /** What the tasks run on, and what `holdfast doctor` and `holdfast verify` say. */
  readonly system: {
    show(): Promise<System>;
    examine(): Promise<Examination>;
    verify(): Promise<Verification>;
  };
}

/** Milliseconds for which the service may look at all that it has. */
export const much = 20_000;

export function operationCalls(send: Send, usualActor: string): OperationCalls {
  const get = async <Body>(
    path: string,
    query: Readonly<Record<string, string | undefined>> = {},
    takes = 0,
  ): Promise<Body> =>
    (await send<Body>({ method: "GET", path, query, repeat: "safe", takes })).body;
  const items = <Item>(path: string): Promise<readonly Item[]> =>
    readPages<Item>(send, path, { limit: 500 });
  const act =
    (collection: string, what: string, query: Readonly<Record<string, string>> = {}) =>
    async (name: string, { reason, actor = usualActor, signal }: Act): Promise<void> =>
      void (await send({
        method: "POST",
        path: `/v1/${collection}/${encodeURIComponent(name)}/${what}`,
        query,
        body: { reason, actor },
        signal,
        repeat: "only when refused",
      }));
  return {
    workflows: workflowCalls({ get, items, act, send, usualActor }),
    agents: {
      list: () => items<Agent>("/v1/agents"),
      pause: act("agents", "pause"),
      resume: act("agents", "resume"),
    },
    remotes: {
      list: async () => (await get<{ readonly items: readonly Remote[] }>("/v1/remotes")).items,
      open: act("remotes", "open"),
      close: act("remotes", "close"),
    },
    pauses: { list: () => items<Pause>("/v1/pauses") },
    overview: () => get<Overview>("/v1/overview"),
    statistics: (query = {}) => get<Statistics>("/v1/statistics", { ...query }),
    failures: (query = {}) => get<Failures>("/v1/failures", { ...query }),
    system: {
      show: () => get<System>("/v1/system"),
      examine: () => get<Examination>("/v1/doctor", {}, much),
      verify: () => get<Verification>("/v1/verify", {}, much),
    },
  };
}

interface Calling {
  readonly get: <Body>(path: string) => Promise<Body>;
  readonly items: <Item>(path: string) => Promise<readonly Item[]>;
  readonly act: (
    collection: string,
    what: string,
    query?: Readonly<Record<string, string>>,
  ) => (name: string, request: Act) => Promise<void>;
  readonly send: Send;
  readonly usualActor: string;
}

function workflowCalls({
  get,
  items,
  act,
  send,
  usualActor,
}: Calling): OperationCalls["workflows"] {
  return {
    list: () => items<ListedWorkflow>("/v1/workflows"),
    get: (name) => get<StoredWorkflow>(`/v1/workflows/${encodeURIComponent(name)}`),
    async store(definition, { storeOnly = false } = {}) {
      const { status, body } = await send<WorkflowStored>({
        method: "PUT",
        path: `/v1/workflows/${encodeURIComponent(definition.name)}`,
        query: { actor: usualActor, ...(storeOnly ? { storeOnly: "true" } : {}) },
        body: definition,
        repeat: "safe",
      });
      return { ...body, isNew: status === 201 };
    },
    activate: (name, { allowUnknownAgents = false, ...request }) =>
      act(
        "workflows",
        "activate",
        allowUnknownAgents ? { allowUnknownAgents: "true" } : {},
      )(name, request),
    retire: act("workflows", "retire"),
    reinstate: act("workflows", "reinstate"),
    pause: act("workflows", "pause"),
    resume: act("workflows", "resume"),
  };
}
