import { limits } from "@holdfast/contracts";
import { type BrokerView, unseenBroker } from "@holdfast/diagnosis";
import { noMetrics, openHealth } from "@holdfast/runtime";
import { defaultLimits, type GuardOptions, openGuard } from "@holdfast/runtime/http";
import type { AttemptOfTask, StateStore } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import { type Logger, pino } from "pino";
import { openAccess, readAnonymousMay } from "../src/access/access.ts";
import type { Principals } from "../src/access/principals.ts";
import type { OwnsStatusQueue } from "../src/access/status-queues.ts";
import { apiRoutes } from "../src/api/api-routes.ts";
import { compressAnswers } from "../src/compress-answers.ts";
import { openHttp } from "../src/open-http.ts";
import { operatorGate } from "../src/operator-gate.ts";
import type { WaitingLimits } from "../src/submit-task.ts";
import type { Inspection } from "../src/view/open-inspection.ts";
import { type WorkflowDirectory, workflowDirectory } from "../src/workflow-directory.ts";
import { holdToCodes } from "./declared-codes.ts";

type Operations = NonNullable<Parameters<typeof apiRoutes>[1]["operations"]>;

export interface ServeOptions {
  readonly health?: Parameters<typeof openHttp>[0];
  readonly hint?: () => void;
  readonly failpoint?: (gap: string) => void;
  readonly cancel?: (obsoleteAttempts: readonly AttemptOfTask[]) => void;
  /** What operators show; null: operator routes are disabled. */
  readonly token?: string | null;
  /** Who is who; without it there are no principals. */
  readonly principals?: Pick<Principals, "read">;
  /** The setting `ANONYMOUS_MAY`; as unset on loopback unless given. */
  readonly anonymousMay?: string;
  /** The setting `READ_TASKS`; `anyone` unless given. */
  readonly readTasks?: "anyone" | "operators";
  readonly ownsStatusQueue?: OwnsStatusQueue;
  readonly waiting?: WaitingLimits;
  readonly takesUnknownAgents?: boolean;
  /** Whether tasks are taken, and not only what operators ask; they are unless said otherwise. */
  readonly takesTasks?: boolean;
  readonly directory?: WorkflowDirectory;
  /** What `why`, `doctor` and `verify` find; without one they are not asked. */
  readonly inspection?: Inspection;
  readonly mostStreams?: number;
  /** Sends dead letters once more; without one there is no broker. */
  readonly publish?: Operations["publish"];
  /** Milliseconds for which message ids are kept; 30 days unless given. */
  readonly keepKeysFor?: number;
  /** Milliseconds for which idempotency keys over HTTP are kept; a day unless given. */
  readonly keepHttpKeysFor?: number;
  readonly queues?: Operations["queues"];
  /** What is known of the broker; nothing unless given. */
  readonly viewBroker?: () => BrokerView;
  /** The configuration of the process, with its secrets. */
  readonly configuration?: Operations["configuration"];
  /**
   * All of a test's clients have one address: it may hold everything, unless the test is about
   * that.
   */
  readonly guard?: Partial<GuardOptions>;
  /** The log of the service; silent unless given. */
  readonly log?: Logger;
}

/**
 * Serves every route of the submission service on one server, for tests. Its disposal throws if a
 * route refused with a code that the document does not give to it.
 */
export function serve(
  store: StateStore,
  options: ServeOptions = {},
): FastifyInstance & AsyncDisposable {
  const { health = openHealth(new AbortController().signal), token = null } = options;
  const { hint = () => {}, cancel = () => {} } = options;
  const { directory = workflowDirectory(store), waiting } = options;
  const { inspection = notAsked, mostStreams = 100, guard = {} } = options;
  const { publish = noBroker, queues = noQueues, configuration = {} } = options;
  const { viewBroker = () => unseenBroker } = options;
  const { anonymousMay, readTasks = "anyone", ownsStatusQueue = () => true } = options;
  const { log = pino({ level: "silent" }) } = options;
  const { principals = null } = options;
  const gate = operatorGate(token, { principals, log, metrics: noMetrics });
  const isOperator = { isOperator: gate.isOperator };
  const app = holdToCodes(openHttp(health, log, openGuard({ ...roomy, ...isOperator, ...guard })));
  const access = openAccess({
    gate,
    anonymousMay: readAnonymousMay(anonymousMay, "127.0.0.1"),
    readTasks,
  });
  compressAnswers(app);
  apiRoutes(app, {
    store,
    access,
    directory,
    hint,
    viewBroker,
    mostStreams,
    signals: { actor: "submission-1", ...(waiting === undefined ? {} : { waiting }) },
    submission: submissionFor(options),
    operations: {
      onRequest: gate.onRequest,
      cancel,
      inspection,
      publish,
      replays: { keepKeysFor: options.keepKeysFor ?? 30 * 24 * 3_600_000, ownsStatusQueue },
      queues,
      configuration,
    },
  });
  return app;
}

const roomy = { ...defaultLimits, addressShare: 100, bodyBytes: limits.payloadBytes };

/** What taking tasks needs; null: only what operators ask is served. */
function submissionFor({
  failpoint = () => {},
  takesTasks = true,
  takesUnknownAgents = false,
  waiting,
  keepHttpKeysFor,
}: ServeOptions): Parameters<typeof apiRoutes>[1]["submission"] {
  if (!takesTasks) return null;
  return {
    failpoint,
    actor: "submission-1",
    takesUnknownAgents,
    ...(waiting === undefined ? {} : { waiting }),
    ...(keepHttpKeysFor === undefined ? {} : { keepKeysFor: keepHttpKeysFor }),
  };
}

const noBroker = async () => "unknown" as const;
const noQueues = async () => ({ queues: null, queuesNote: "This test has no broker." });
const refuse = async (): Promise<never> => {
  throw new Error("This test has no inspection");
};
const notAsked: Inspection = { explain: refuse, examine: refuse, verify: refuse };
