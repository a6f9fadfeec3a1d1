import { pageQuery } from "./pages.ts";
import type { Send } from "./request.ts";
import type { Approval, ApprovalFilter, ApprovalPage, Decision, DecisionCounted } from "./types.ts";

interface PageOptions {
  /** Approvals on a page: 50 unless given, and at most 100. */
  readonly limit?: number;
  /** What the page before named as its `next`. */
  readonly after?: string | null;
  readonly signal?: AbortSignal;
}

/**
 * Steps that people decide. The token of the client is a key or a token of one's own, which the
 * service knows by its `ACCESS_FILE`; with that of operators all are shown, and none is decided.
 */
export interface ApprovalCalls {
  /** A page of those that wait, of the audiences of who asks; those of the oldest task first. */
  list(filter?: ApprovalFilter, page?: PageOptions): Promise<ApprovalPage>;
  /** One of them, also after it ended: what was said, and how it ended. */
  get(task: string, step: string): Promise<Approval>;
  /**
   * Approves or rejects a step. It is kept when this resolves, and may be repeated: the same
   * decision once more is answered as the first time. Throws a `ProblemError` for one that is
   * refused, such as of one who is excluded (`approval.excluded`), or once the step is over
   * (`approval.over`).
   */
  decide(
    task: string,
    step: string,
    decision: Decision & { readonly signal?: AbortSignal },
  ): Promise<DecisionCounted>;
}

const pathOf = (task: string, step: string, what: string) =>
  `/v1/tasks/${encodeURIComponent(task)}/steps/${encodeURIComponent(step)}/${what}`;

export function approvalCalls(send: Send): ApprovalCalls {
  return {
    async list({ audience, mine = false } = {}, { signal, ...page } = {}) {
      const answer = await send<ApprovalPage>({
        method: "GET",
        path: "/v1/approvals",
        query: { audience, mine: mine ? "true" : undefined, ...pageQuery(page) },
        signal,
        repeat: "safe",
      });
      return answer.body;
    },
    async get(task, step) {
      const path = pathOf(task, step, "approval");
      return (await send<Approval>({ method: "GET", path, repeat: "safe" })).body;
    },
    async decide(task, step, { signal, ...body }) {
      const answer = await send<DecisionCounted>({
        method: "POST",
        path: pathOf(task, step, "decision"),
        body,
        signal,
        repeat: "safe",
      });
      return answer.body;
    },
  };
}
