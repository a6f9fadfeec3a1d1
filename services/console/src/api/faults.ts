import type { ProblemBody } from "./types.ts";

/**
 * The service refused a request, or could not do it: a problem of RFC 9457 with a stable `code`.
 */
export class ProblemFault extends Error {
  override readonly name = "ProblemFault";
  readonly problem: ProblemBody;
  readonly status: number;
  readonly code: string;

  constructor(problem: ProblemBody) {
    super(problem.detail);
    this.problem = problem;
    this.status = problem.status;
    this.code = problem.code;
  }
}

/** The service was not reached, or what answered was not the service. */
export class ConnectionFault extends Error {
  override readonly name = "ConnectionFault";
}

/** Whether the service may answer soon: it is away, or its state store is. */
export const isOutage = (error: unknown): boolean =>
  error instanceof ConnectionFault || (error instanceof ProblemFault && error.status >= 500);

/** The fault that an answer stands for. */
export async function faultOf(response: Response): Promise<ProblemFault | ConnectionFault> {
  const body: unknown = await response.json().catch(() => null);
  if (isProblem(body)) return new ProblemFault(body);
  return new ConnectionFault(
    `The service answered ${response.status}, and not as Holdfast does: is there a proxy between?`,
  );
}

const isProblem = (body: unknown): body is ProblemBody =>
  typeof body === "object" &&
  body !== null &&
  "code" in body &&
  typeof body.code === "string" &&
  "detail" in body &&
  typeof body.detail === "string" &&
  "status" in body &&
  typeof body.status === "number";
