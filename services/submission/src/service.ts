import { limits, prepareJudges, signalQueue, submissionQueue } from "@holdfast/contracts";
import { type BrokerView, unseenBroker } from "@holdfast/diagnosis";
import { readTraceContext } from "@holdfast/domain";
import {
  type Broker,
  cancelHints,
  connectInBackground,
  type OutgoingMessage,
  type PublishResult,
  userOf,
  type WakeReason,
  wakeHint,
} from "@holdfast/messaging";
import {
  defineService,
  type Metrics,
  repeat,
  type ServiceContext,
  type Span,
  systemClock,
  type Tracing,
} from "@holdfast/runtime";
import { type Guard, guardSettings, listenAsSet, openGuard } from "@holdfast/runtime/http";
import {
  type AttemptOfTask,
  announceInstance,
  openStateStore,
  type SubmissionStore,
} from "@holdfast/state-store";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { openAccess, readAnonymousMay } from "./access/access.ts";
import { openPrincipals, type Principals, rereadEvery } from "./access/principals.ts";
import { statusQueueOwners } from "./access/status-queues.ts";
import { activateAwaited } from "./activate-awaited.ts";
import { apiRoutes } from "./api/api-routes.ts";
import { type AwakeInbox, awakeInbox, type InboxWakes } from "./awake-inbox.ts";
import { compressAnswers } from "./compress-answers.ts";
import { SubmissionConfig } from "./config.ts";
import { findTasks } from "./find-tasks.ts";
import { fireSchedules } from "./fire-schedules.ts";
import { httpMetrics } from "./http-metrics.ts";
import { inboxRounds } from "./inbox-rounds.ts";
import { openHttp } from "./open-http.ts";
import { type OperatorGate, operatorGate } from "./operator-gate.ts";
import { signalSender } from "./send-signal.ts";
import { serveConsole } from "./serve-console.ts";
import { type Stored, storeWorkflows } from "./store-workflows.ts";
import { findQueues } from "./system/find-queues.ts";
import { takeEnqueued } from "./take-enqueued.ts";
import { takeEnqueuedSignals } from "./take-enqueued-signals.ts";
import { takeSignals } from "./take-signals.ts";
import { takeTasks } from "./take-tasks.ts";
import { type Inspection, openInspection } from "./view/open-inspection.ts";
import { workflowDirectory } from "./workflow-directory.ts";

type Service = ServiceContext<SubmissionConfig>;

/**
 * Takes tasks over HTTP and by message, shows them, and does what operators ask, until its signal
 * to stop.
 */
export const submissionService = defineService("submission", SubmissionConfig, async (service) => {
  const { config, log, instanceId: actor, stopped, health, metrics, tracing } = service;
  const storeAccess = service.access("STATE_STORE_URL");
  // Until it is connected: readiness says what a start waits for.
  health.check("state store", () => false, storeAccess.trouble);
  await using store = await openStateStore({
    url: storeAccess,
    signal: service.signal,
    applicationName: actor,
    maxConnections: config.STATE_STORE_CONNECTIONS,
    events: config.EVENTS === "on",
    metrics,
  });
  health.check("state store", () => store.ping().then(() => true), storeAccess.trouble);

  const directory = workflowDirectory(store, {
    takesUnknownVersions: takesUnknownVersions(service),
  });
  const role = config.ROLE;
  const takes = role !== "operations";
  await storeWorkflows(service, { store, directory });
  const hints = latestHints();
  await using _broker = await connectHints(service, { store, directory, hints, takes });
  await using inspection = inspectionFor(service);
  const principals = await principalsFor(service);
  await using _rereading = principals === null ? null : rereading(service, principals);
  const gate = operatorGate(config.OPERATOR_TOKEN ?? null, { principals, log, metrics });
  if (role !== "tasks") prepareJudges();
  await using http = openHttp(health, log, guardFor(config, gate));
  measureHttp(http, metrics);
  traceRequests(http, tracing);
  if (config.COMPRESS_ANSWERS === "on") compressAnswers(http);
  apiRoutes(http, {
    store,
    tracing,
    access: accessFor(service, gate),
    traceUrlTemplate: config.TRACE_URL_TEMPLATE ?? null,
    directory,
    // The others are for requests.
    mostStreams: Math.ceil(config.MAX_CONNECTIONS / 2),
    hint: hints.hint,
    viewBroker: () => viewBroker(service, hints),
    signals: { actor: service.instanceId, waiting: waitingIn(config) },
    submission: role === "operations" ? null : submissionFor(service),
    operations: role === "tasks" ? null : operationsFor(service, { gate, hints, inspection }),
  });
  serveConsole(http, { isOn: config.CONSOLE === "on", role });

  const url = await listenAsSet(http, config);
  const wakes: InboxWakes = { channel: null };
  await using seen = announce(service, store, { wakes, takesEnqueued: takes });
  await using inbox = takes
    ? takingEnqueued(service, { store, directory, hints, wakes, announce: seen.wake })
    : null;
  await using _firing = inbox === null ? null : firing(service, { store, onFired: inbox.wake });
  await using _activating = role === "tasks" ? null : activating(service, { store, directory });
  service.ready({ url });
  await stopped;
});

/** Bounds what clients hold; where operators are served, with a reserve for them. */
function guardFor(config: SubmissionConfig, { isOperator }: OperatorGate): Guard {
  const operates = config.ROLE !== "tasks" && config.OPERATOR_TOKEN !== undefined;
  return openGuard({
    ...guardSettings(config),
    bodyBytes: limits.payloadBytes,
    ...(operates ? { isOperator } : {}),
  });
}

/**
 * Whether a version that is not stored stands for the active one, whichever way a task comes: in
 * SQL the store asks.
 */
const takesUnknownVersions = ({ config }: Service): boolean => config.UNKNOWN_VERSIONS === "newest";

/** Has operators see that this process is there, and applications wake it. */
function announce(
  service: Service,
  store: SubmissionStore,
  { wakes, takesEnqueued }: { readonly wakes: InboxWakes; readonly takesEnqueued: boolean },
) {
  const { instanceId: instance, signal, log, metrics } = service;
  const takes = { takesEnqueued, takesUnknownVersions: takesUnknownVersions(service) };
  const me = { service: "submission", instance, slots: null, ...takes } as const;
  const announced = announceInstance(store, () => ({ ...me, inboxChannel: wakes.channel }));
  return repeat(announced, { name: "instance", signal, log, metrics });
}

/** Activates versions once their Agents have come. */
function activating({ signal, log, metrics }: Service, stored: Stored): AsyncDisposable {
  return repeat(activateAwaited({ ...stored, log }), { name: "activation", signal, log, metrics });
}

/** Fires schedules. */
function firing(
  { instanceId: actor, failpoint, signal, log, metrics }: Service,
  fired: Pick<Parameters<typeof fireSchedules>[0], "store" | "onFired">,
): AsyncDisposable {
  const round = fireSchedules({ ...fired, clock: systemClock, log, failpoint, metrics, actor });
  return repeat(round, { name: "schedules", signal, log, metrics });
}

interface Enqueued extends Stored, Pick<Hinting, "hints"> {
  readonly wakes: InboxWakes;
  readonly announce: () => void;
}

/** Sends signals that came by message, or in a transaction. */
const senderFor = (stored: Stored & Pick<ReturnType<typeof latestHints>, "hint">) =>
  signalSender({ ...stored, tasks: findTasks(stored.store) });

/** Takes in what applications enqueue in their transactions. */
function takingEnqueued(
  service: Service,
  { hints, wakes, announce: onListening, ...stored }: Enqueued,
): AwakeInbox {
  const { failpoint, instanceId: instance, signal, log, metrics } = service;
  const access = service.access("STATE_STORE_URL");
  const making = { log, failpoint, actor: instance };
  const { hint } = hints;
  const sender = senderFor({ ...stored, hint });
  return awakeInbox({
    take: inboxRounds(stored.store.glanceAtInboxes, {
      submissions: takeEnqueued({ ...stored, ...making, hint }),
      signals: takeEnqueuedSignals({ ...stored, sender, log }),
    }),
    access,
    instance,
    wakes,
    announce: onListening,
    signal,
    log,
    metrics,
  });
}

/** What may wait for the state store. */
const waitingIn = (config: SubmissionConfig) => ({
  tasks: config.MAX_WAITING_TASKS,
  timeout: config.REQUEST_TIMEOUT,
});

/** What taking tasks over HTTP needs. */
function submissionFor({ config, failpoint, instanceId: actor }: Service) {
  return {
    failpoint,
    actor,
    keepKeysFor: config.HTTP_KEYS_KEPT_FOR,
    takesUnknownAgents: config.UNKNOWN_AGENTS === "accept",
    waiting: waitingIn(config),
  };
}

/** Who is who; null: there is no access file. Throws `config.invalid` for one that is unusable. */
async function principalsFor({ config, log }: Service): Promise<Principals | null> {
  const { ACCESS_FILE: path } = config;
  return path === undefined ? null : openPrincipals({ path, log });
}

/** Has the access file count as it is, a few seconds after it changed. */
function rereading({ signal, log, metrics }: Service, principals: Principals): AsyncDisposable {
  const again = () => principals.reread().then(() => rereadEvery);
  return repeat(again, { name: "access file", signal, log, metrics });
}

/** What requests may ask for and learn. */
function accessFor({ config }: Service, gate: OperatorGate) {
  return openAccess({
    gate,
    anonymousMay: readAnonymousMay(config.ANONYMOUS_MAY, config.HTTP_HOST),
    readTasks: config.READ_TASKS,
  });
}

/** The owners of status queues, for messages. */
const queueOwners = ({ config }: Service) =>
  statusQueueOwners(config.STATUS_WORDS, readAnonymousMay(config.ANONYMOUS_MAY, config.HTTP_HOST));

interface ForOperations {
  readonly gate: OperatorGate;
  readonly hints: ReturnType<typeof latestHints>;
  readonly inspection: Inspection;
}

/** What the routes of operators need. */
function operationsFor(service: Service, { gate, hints, inspection }: ForOperations) {
  const { config } = service;
  const { BROKER_MANAGEMENT_URL: managementUrl = null, BROKER_URL: brokerUrl } = config;
  const userId = userOf(brokerUrl);
  return {
    onRequest: gate.onRequest,
    cancel: hints.cancel,
    inspection,
    publish: (message: OutgoingMessage) => hints.publish({ ...message, userId }),
    replays: {
      keepKeysFor: config.MESSAGE_KEYS_KEPT_FOR,
      ownsStatusQueue: queueOwners(service),
    },
    queues: () => findQueues({ managementUrl, brokerUrl }),
    configuration: config,
  };
}

/**
 * What this process knows of the broker by its own connection: the right to ask for queues it needs
 * not have. The broker says only to those who publish that it takes nothing, so a hint is
 * published.
 */
function viewBroker(service: Service, { hint }: ReturnType<typeof latestHints>): BrokerView {
  const { state, trouble, blockedBy } = service.access("BROKER_URL");
  if (trouble() === null) hint();
  const unreachable = state.kind === "up" ? null : trouble();
  return { ...unseenBroker, unreachable, blocked: blockedBy() };
}

/** What operators ask about this system. */
function inspectionFor({ config, instanceId }: Service) {
  return openInspection({
    stateStoreUrl: config.STATE_STORE_URL,
    brokerUrl: config.BROKER_URL,
    managementUrl: config.BROKER_MANAGEMENT_URL ?? null,
    name: instanceId,
  });
}

interface Hinting extends Stored {
  readonly hints: ReturnType<typeof latestHints>;
  /** Whether tasks are taken by message. */
  readonly takes: boolean;
}

/** Connects to the broker in the background: hints go there, and tasks come from there. */
async function connectHints(
  service: Service,
  { hints, takes, ...stored }: Hinting,
): Promise<AsyncDisposable> {
  const takesOver = service.config.BROKER_TAKE_OVER === "on";
  const owner = { storeId: await stored.store.findStoreId(), takesOver };
  return connectInBackground(
    {
      url: service.access("BROKER_URL"),
      owner,
      name: service.instanceId,
      topology: service.config.BROKER_TOPOLOGY,
      agents: [],
      maxMessageBytes: service.config.MAX_MESSAGE_BYTES,
      log: service.log,
      metrics: service.metrics,
    },
    async (broker) => {
      hints.connect(broker);
      if (!takes) return { [Symbol.asyncDispose]: async () => {} };
      return consumeAll(broker, service, { ...stored, hint: hints.hint });
    },
  );
}

/** Takes tasks and signals by message. */
async function consumeAll(
  broker: Broker,
  service: Service,
  stored: Stored & { readonly hint: () => void },
): Promise<AsyncDisposable> {
  const { config, log, failpoint, instanceId: actor, tracing } = service;
  const workflow = config.DEFAULT_WORKFLOW ?? null;
  const keepKeysFor = config.MESSAGE_KEYS_KEPT_FOR;
  const ownsStatusQueue = queueOwners(service);
  const handling = { workflow, keepKeysFor, ownsStatusQueue, log, failpoint, actor, tracing };
  await using consumers = new AsyncDisposableStack();
  // A task by message is no larger than one over HTTP: at most 100 MiB are in memory.
  const ofTasks = { prefetch: 400, max: 200, maxBytes: limits.payloadBytes };
  const takeAll = takeTasks({ ...stored, ...handling });
  consumers.use(await broker.consumeBatches(submissionQueue, ofTasks, takeAll));
  // Beside its payload a signal has a few names: at most 32 MiB are in memory.
  const ofSignals = { prefetch: 400, max: 200, maxBytes: limits.signalBytes + limits.hintBytes };
  const takeSignal = takeSignals({ ...stored, ...handling, sender: senderFor(stored) });
  consumers.use(await broker.consumeBatches(signalQueue, ofSignals, takeSignal));
  return consumers.move();
}

/**
 * Hints over the current connection. Without one they are dropped: a hint that is lost costs a poll
 * interval.
 */
function latestHints() {
  let wake: ReturnType<typeof wakeHint> | null = null;
  let cancelAttempts: ReturnType<typeof cancelHints> | null = null;
  let connected: Broker | null = null;
  return {
    connect(broker: Broker): void {
      connected = broker;
      wake = wakeHint(broker);
      // For the tasks that came before the connection.
      wake();
      cancelAttempts = cancelHints(broker);
    },
    /** Wakes the Schedulers. */
    hint: (due?: WakeReason): void => wake?.(due),
    /** Asks Agents to stop these attempts. */
    cancel: (obsoleteAttempts: readonly AttemptOfTask[]): void =>
      cancelAttempts?.(obsoleteAttempts),
    /** Publishes, and resolves to what became of the message, which a hint does not. */
    publish: async (message: OutgoingMessage): Promise<PublishResult> =>
      (await connected?.publish(message)) ?? "unknown",
  };
}

/**
 * Measures each answer, by the pattern of its route: a path has ids in it, of which there is no
 * end.
 */
function measureHttp(app: FastifyInstance, metrics: Metrics): void {
  const took = metrics.histogram(httpMetrics.duration);
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.is404 ? "none" : (request.routeOptions.url ?? "none");
    took(reply.elapsedTime / 1_000, request.method, route, String(reply.statusCode));
    done();
  });
}

declare module "fastify" {
  interface FastifyRequest {
    /** The span of the request; null: it is not traced. */
    span: Span | null;
  }
}

/** What changes nothing: it is asked again and again, and belongs to no task's story. */
const isChange = ({ method, url }: FastifyRequest): boolean =>
  method !== "GET" && method !== "HEAD" && method !== "OPTIONS" && !/\/search(\?|$)/.test(url);

/**
 * Gives each request that may change something a span, which goes on with the caller's trace. The
 * handler runs within it. To be called before the routes are added.
 */
function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.decorateRequest("span", null);
  if (!tracing.isOn) return;
  app.addHook("onRequest", (request, _, done) => {
    if (isChange(request)) request.span = spanOf(tracing, request);
    done();
  });
  // Not before the body is parsed: what reads it would lose the span.
  app.addHook("preHandler", (request, _, done) => {
    if (request.span === null) return done();
    return request.span.run(done);
  });
  app.addHook("onResponse", (request, reply, done) => {
    request.span?.end(answerOf(reply));
    done();
  });
}

function spanOf(tracing: Tracing, request: FastifyRequest): Span {
  const { method, headers, params, routeOptions, protocol } = request;
  const route = routeOptions.url;
  return tracing.span(route === undefined ? method : `${method} ${route}`, {
    kind: "server",
    parent: readTraceContext(headers["traceparent"], headers["tracestate"]),
    attributes: {
      "http.request.method": method,
      "http.route": route,
      "holdfast.task.id": (params as { readonly id?: string } | null)?.id,
      "url.path": request.url.split("?", 1)[0],
      "url.scheme": protocol,
    },
  });
}

/** A client's mistake is no failure of the service. */
const answerOf = ({ statusCode }: FastifyReply) => ({
  "http.response.status_code": statusCode,
  "error.type": statusCode >= 500 ? String(statusCode) : undefined,
});
