import { type ApprovalCalls, approvalCalls } from "./approvals.ts";
import { type BulkCalls, bulkCalls } from "./bulk.ts";
import { type DeadLetterCalls, deadLetterCalls } from "./dead-letters.ts";
import { type FollowOptions, followTask } from "./follow.ts";
import { lastingEvents } from "./lasting-events.ts";
import { type OperationCalls, operationCalls } from "./operations.ts";
import {
  type Answer,
  type ClientOptions,
  type Open,
  opener,
  type Request,
  type Send,
  sender,
} from "./request.ts";
import { awaitResult, isSettled, longestRequest } from "./result.ts";
import { usualRetryFor } from "./retry.ts";
import { type SignalCalls, signalCalls } from "./signals.ts";
import { type TaskCalls, taskCalls } from "./tasks.ts";
import type {
  AnyWorkflow,
  Change,
  HistoryEntry,
  InputFor,
  ResultFor,
  SubmitOptions,
  TaskRef,
  TaskResult,
  Wait,
} from "./types.ts";
import { toMilliseconds } from "./wait.ts";

/** What applications and operators ask of Holdfast. */
export interface HoldfastClient extends OperationCalls {
  /**
   * Submits a task. It is durable when this resolves. Repeated under one idempotency key while the
   * service cannot be reached, is silent or is overloaded. Throws a `ProblemError` for what is
   * refused, a `ConnectionError` when the time is over, and a `RequestError` for what cannot be
   * sent, such as a bigint in the input.
   */
  submit<W extends AnyWorkflow>(
    workflow: W,
    input: InputFor<W>,
    options?: SubmitOptions,
  ): Promise<TaskRef<ResultFor<W>> & { readonly replayed: boolean }>;
  /**
   * Submits a task, and waits for its result for a while: in one request if it comes within a
   * minute. Returns as soon as the task has halted, too, as `halted`: an operator has to
   * act then.
   */
  run<W extends AnyWorkflow>(
    workflow: W,
    input: InputFor<W>,
    options?: SubmitOptions & { readonly wait?: Wait },
  ): Promise<TaskResult<ResultFor<W>>>;
  /** How a task stands: as soon as it has ended or halted, or when the wait is over. */
  result<Output>(
    task: TaskRef<Output> | string,
    options?: { readonly wait?: Wait; readonly signal?: AbortSignal },
  ): Promise<TaskResult<Output>>;
  /**
   * The moves of a task as they come, until it has ended; with `untilHalted` also until it halts.
   */
  follow<Output>(
    task: TaskRef<Output> | string,
    options?: FollowOptions,
  ): AsyncGenerator<HistoryEntry, TaskResult<Output>>;
  /** Which tasks change, and how the system is, for as long as it is read. For operators. */
  changes(options?: { readonly signal?: AbortSignal | undefined }): AsyncGenerator<Change, void>;
  readonly tasks: TaskCalls;
  readonly signals: SignalCalls;
  readonly approvals: ApprovalCalls;
  readonly bulk: BulkCalls;
  readonly deadLetters: DeadLetterCalls;
  /**
   * Sends any request of the OpenAPI document. One that changes something is only repeated if it
   * was refused.
   */
  request<Body>(request: Request): Promise<Answer<Body>>;
}

const idOf = (task: TaskRef | string): string => (typeof task === "string" ? task : task.id);

/** A client of one submission service. It holds nothing open. */
export function holdfastClient(options: ClientOptions): HoldfastClient {
  const send = sender(options);
  const { actor = "client", retryFor = usualRetryFor } = options;
  const service = { send, open: opener(options), retryFor };
  const result: HoldfastClient["result"] = async (task, { wait = 0, signal } = {}) =>
    (await awaitResult(send, idOf(task), { timeout: toMilliseconds(wait), signal })) as never;
  return {
    submit: async (workflow, input, how = {}) => {
      const { body, headers } = await submit<{ readonly id: string }>(send, workflow, {
        ...how,
        input,
      });
      return { id: body.id, replayed: headers.get("idempotency-replayed") === "true" };
    },
    run: async (workflow, input, { wait = "60s", ...how } = {}) => {
      const timeout = toMilliseconds(wait);
      const begun = Date.now();
      const seconds = Math.floor(Math.min(timeout, longestRequest) / 1_000);
      const { status, body } = await submit<TaskResult>(send, workflow, { ...how, input, seconds });
      if (status === 200 && isSettled(body)) return body as never;
      const left = Math.max(0, timeout - (Date.now() - begun));
      return (await awaitResult(send, body.id, { timeout: left, signal: how.signal })) as never;
    },
    result,
    follow: (task, how = {}) => followTask(service, idOf(task), how) as never,
    changes: (how = {}) => followChanges(service, how),
    tasks: taskCalls(send, actor),
    signals: signalCalls(send),
    approvals: approvalCalls(send),
    bulk: bulkCalls(send, actor),
    deadLetters: deadLetterCalls(send, actor),
    request: (request) =>
      send({ ...request, repeat: request.method === "GET" ? "safe" : "only when refused" }),
    ...operationCalls(send, actor),
  };
}

interface Submission extends SubmitOptions {
  readonly input: unknown;
  /** Seconds for which the answer may wait for the result. */
  readonly seconds?: number;
}

function submit<Body>(
  send: Send,
  workflow: AnyWorkflow,
  { idempotencyKey, notBefore, allowUnknownAgents, signal, seconds = 0, ...body }: Submission,
) {
  return send<Body>({
    method: "POST",
    path: "/v1/tasks",
    query: { allowUnknownAgents: allowUnknownAgents === true ? "true" : undefined },
    headers: {
      "idempotency-key": idempotencyKey ?? crypto.randomUUID(),
      prefer: seconds > 0 ? `wait=${seconds}` : undefined,
    },
    body: {
      ...body,
      workflow: typeof workflow === "string" ? workflow : workflow.name,
      ...(notBefore === undefined
        ? {}
        : { notBefore: typeof notBefore === "string" ? notBefore : notBefore.toISOString() }),
    },
    signal,
    repeat: "safe",
    takes: seconds * 1_000,
  });
}

interface Service {
  readonly open: Open;
  /** Milliseconds for which the service may be unreachable. */
  readonly retryFor: number;
}

/**
 * Which tasks change, and how the system is, for as long as it is read. A connection that is lost
 * is opened again, and goes on where it was. Ends when the service has no room for one more stream,
 * or not for this client.
 */
async function* followChanges(
  service: Service,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<Change, void> {
  for await (const { event, data } of lastingEvents({ ...service, path: "/v1/events", signal })) {
    if (event === "changed" || event === "tick") yield { event, ...JSON.parse(data) } as Change;
  }
}
