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

/**
 * The service could not be reached, or what answered was not the service. A submission may have
 * been carried out.
 */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly code = "client.not_reachable";
}

/**
 * A request that cannot be sent, whatever the service does: its input is no JSON, a header or the
 * URL is none. It is the caller's to mend, so it is thrown at once, and nothing was sent.
 */
export class RequestError extends TypeError {
  override readonly name = "RequestError";
  readonly code = "client.request_invalid";
  /**
   * The JSON pointer (RFC 6901) to what is wrong, from the body of the request; null: it is not in
   * the body.
   */
  readonly pointer: string | null;

  constructor(message: string, { cause, pointer }: RequestErrorOptions = {}) {
    super(message, { cause });
    this.pointer = pointer ?? null;
  }
}

interface RequestErrorOptions extends ErrorOptions {
  readonly pointer?: string;
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

/** An error, whichever realm or library has made it. */
interface Thrown {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
}

const isThrown = (error: unknown): error is Thrown =>
  typeof error === "object" && error !== null && "message" in error;

/** Causes of causes that are looked through: an error may be its own. */
const deepest = 10;

/** Why something failed: what its first cause says, if there is one. */
export function reasonOf(error: unknown): string {
  if (!isThrown(error)) return String(error);
  let first = error;
  for (let depth = 0; depth < deepest && isThrown(first.cause); depth += 1) first = first.cause;
  const { message, code } = first;
  return message === "" && typeof code === "string" ? code : String(message);
}
