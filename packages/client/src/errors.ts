import type { components } from "./openapi.ts";

type Problem = components["schemas"]["Problem"];
/** A problem of this version, or of one before it, which said less. */
type Answered = Omit<Problem, "requestId" | "retryable"> &
  Partial<Pick<Problem, "requestId" | "retryable">>;

/** What the service refused, or could not do: a problem of RFC 9457 with a stable `code`. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly status: number;
  /** The fault code, such as `task.invalid`: see the catalogue of fault codes. */
  readonly code: string;
  /** Which parts of the request are wrong. */
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  /** The open task that has the key, for `task.key_in_use`. */
  readonly taskId: string | null;
  /** Whether the same request may be granted later. */
  readonly retryable: boolean;
  /** Names the request in the log of the service; null: what answered named none. */
  readonly requestId: string | null;
  readonly problem: Answered;

  constructor(problem: Answered) {
    super(problem.detail);
    this.problem = problem;
    this.status = problem.status;
    this.code = problem.code;
    this.errors = problem.errors ?? [];
    this.taskId = problem.taskId ?? null;
    this.retryable = problem.retryable ?? (problem.status === 429 || problem.status > 500);
    this.requestId = problem.requestId ?? null;
  }
}

/** The service could not be reached, or what answered was not the service. A submission may have been carried out. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly code = "client.not_reachable";
}

/** The answer of something else than the service, such as a proxy. */
export const isProblem = (body: unknown): body is Answered =>
  typeof body === "object" &&
  body !== null &&
  "code" in body &&
  typeof body.code === "string" &&
  "detail" in body &&
  typeof body.detail === "string" &&
  "status" in body &&
  typeof body.status === "number";
