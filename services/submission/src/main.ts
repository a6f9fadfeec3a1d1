import { limits, submissionQueue } from "@holdfast/contracts";
import { ContractFault } from "@holdfast/domain";
import { type Broker, cancelHints, connectInBackground, wakeHint } from "@holdfast/messaging";
import { runService } from "@holdfast/runtime";
import { type AttemptOfTask, openStateStore, type StateStore } from "@holdfast/state-store";
import { apiRoutes } from "./api/api-routes.ts";
import { SubmissionConfig } from "./config.ts";
import { loadWorkflows } from "./load-workflows.ts";
import { openHttp } from "./open-http.ts";
import { operatorGate, tokenFault } from "./operator-gate.ts";
import { Problem } from "./problem.ts";
import { takeTasks } from "./take-tasks.ts";
import { type WorkflowDirectory, workflowDirectory } from "./workflow-directory.ts";

type Service = Parameters<Parameters<typeof runService<typeof SubmissionConfig>>[2]>[0];

interface Stored {
  readonly store: StateStore;
  readonly directory: WorkflowDirectory;
}

await runService("submission", SubmissionConfig, async (service) => {
  mustBeSafe(service.config.OPERATOR_TOKEN ?? null, service.config.HTTP_HOST);
  const { config, log, instanceId: actor, stopped, health, failpoint } = service;
  await using store = await openStateStore({
    url: config.STATE_STORE_URL,
    applicationName: actor,
    maxConnections: config.STATE_STORE_CONNECTIONS,
    events: config.EVENTS === "on",
  });
  health.check("state store", () => store.ping().then(() => true));

  const directory = workflowDirectory(store);
  const duty = config.DUTY === "orders" ? "tasks" : config.DUTY;
  if (duty !== "operations") await storeWorkflows(service, { store, directory });
  const hints = latestHints();
  await using _broker = connectInBackground(
    {
      url: config.BROKER_URL,
      name: actor,
      topology: config.BROKER_TOPOLOGY,
      agents: [],
      maxMessageBytes: config.MAX_MESSAGE_BYTES,
      log,
    },
    async (broker) => {
      hints.connect(broker);
      if (duty === "operations") return { [Symbol.asyncDispose]: async () => {} };
      return consumeTasks(broker, service, { store, directory, hint: hints.hint });
    },
  );
  const patience = config.REQUEST_TIMEOUT;
  const httpLimits = { connections: config.MAX_CONNECTIONS, requestTimeout: patience };
  await using http = openHttp(health, log, httpLimits);
  apiRoutes(http, {
    store,
    directory,
    hint: hints.hint,
    submission:
      duty === "operations"
        ? null
        : {
            store,
            failpoint,
            actor,
            takesUnknownAgents: config.UNKNOWN_AGENTS === "accept",
            waiting: { tasks: config.MAX_WAITING_ORDERS, patience },
          },
    operations:
      duty === "tasks"
        ? null
        : { onRequest: operatorGate(config.OPERATOR_TOKEN ?? null), cancel: hints.cancel },
  });

  const url = await http.listen({ host: config.HTTP_HOST, port: config.HTTP_PORT });
  log.info({ url }, "ready");
  await stopped;
});

/** Stores the workflows of `WORKFLOW_MODULES`, and checks that `WORKFLOW` is stored. */
async function storeWorkflows({ config }: Service, { store, directory }: Stored): Promise<void> {
  for (const definition of await loadWorkflows(config.WORKFLOW_MODULES ?? "")) {
    await store.registerWorkflow(definition);
  }
  await directory.reload();
  if (config.WORKFLOW !== undefined) await mustBeStored(directory, config.WORKFLOW);
}

/** Takes tasks by message. */
function consumeTasks(
  broker: Broker,
  { config, log, failpoint, instanceId: actor }: Service,
  stored: Stored & { readonly hint: () => void },
): Promise<AsyncDisposable> {
  const workflow = config.WORKFLOW ?? null;
  const keepKeysFor = config.MESSAGE_KEYS_KEPT_FOR;
  const take = takeTasks({ ...stored, workflow, keepKeysFor, log, failpoint, actor });
  // A task by message is no larger than one over HTTP: at most 100 MiB are in memory.
  const how = { prefetch: 400, max: 200, maxBytes: limits.payloadBytes };
  return broker.consumeBatches(submissionQueue, how, take);
}

/** Hints over the current connection. Without one they are dropped: a hint that is lost costs a poll interval. */
function latestHints() {
  let wake: (() => void) | null = null;
  let cancelAttempts: ReturnType<typeof cancelHints> | null = null;
  return {
    connect(broker: Broker): void {
      wake = wakeHint(broker);
      // For the tasks that came before the connection.
      wake();
      cancelAttempts = cancelHints(broker);
    },
    /** Wakes the Schedulers. */
    hint: (): void => wake?.(),
    /** Asks Agents to stop these attempts. */
    cancel: (obsoleteAttempts: readonly AttemptOfTask[]): void =>
      cancelAttempts?.(obsoleteAttempts),
  };
}

/** Checked at the start: an operator token that can be guessed is refused. */
function mustBeSafe(token: string | null, host: string): void {
  const fault = tokenFault(token, host);
  if (fault !== null) throw new ContractFault("config.invalid", fault);
}

/** Checked at the start, before the first message. */
async function mustBeStored(directory: WorkflowDirectory, workflow: string): Promise<void> {
  await directory.find(workflow).catch((cause: unknown) => {
    if (!(cause instanceof Problem)) throw cause;
    throw new ContractFault("config.invalid", `WORKFLOW: ${cause.message}`);
  });
}
