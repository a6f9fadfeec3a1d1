import { much } from "./operations.ts";
import { pageQuery } from "./pages.ts";
import type { Send } from "./request.ts";
import type {
  BulkForecast,
  BulkItem,
  BulkItemPage,
  BulkOperation,
  BulkOperationPage,
  NewBulkOperation,
} from "./types.ts";

interface PageOptions {
  /** Items on a page: 20 unless given, and at most 100. */
  readonly limit?: number;
  /** What the page before named as its `next`. */
  readonly after?: string | null;
}

/** One action on many tasks, for operators. */
export interface BulkCalls {
  /** What an operation would do; creates none. */
  forecast(request: NewBulkRequest): Promise<BulkForecast>;
  /** Creates an operation on the tasks that match now. Repeated under one idempotency key. */
  create(
    request: NewBulkRequest,
    options?: { readonly idempotencyKey?: string },
  ): Promise<BulkOperation>;
  get(id: string): Promise<BulkOperation>;
  /** A page, latest first. */
  list(page?: PageOptions): Promise<BulkOperationPage>;
  /** A page of the tasks of an operation, with what became of each. */
  items(
    id: string,
    options?: PageOptions & { readonly outcome?: BulkItem["outcome"] },
  ): Promise<BulkItemPage>;
  /** Applies no further item of it. */
  stop(
    id: string,
    how: { readonly reason: string; readonly actor?: string },
  ): Promise<BulkOperation>;
}

/** What is to be done to which tasks; who acts is the client's actor unless it is said. */
export type NewBulkRequest = Omit<NewBulkOperation, "actor" | "dryRun"> & {
  readonly actor?: string;
};

const path = "/v1/bulk-operations";
const pathOf = (id: string, rest = "") => `${path}/${encodeURIComponent(id)}${rest}`;

export function bulkCalls(send: Send, usualActor: string): BulkCalls {
  const get = async <Body>(
    from: string,
    query: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Body> => (await send<Body>({ method: "GET", path: from, query, repeat: "safe" })).body;
  const post = async <Body>(body: object, headers: Readonly<Record<string, string>> = {}) =>
    (await send<Body>({ method: "POST", path, headers, body, repeat: "safe", takes: much })).body;
  return {
    forecast: (request) => post<BulkForecast>({ actor: usualActor, ...request, dryRun: true }),
    create: (request, { idempotencyKey = crypto.randomUUID() } = {}) =>
      post<BulkOperation>({ actor: usualActor, ...request }, { "idempotency-key": idempotencyKey }),
    get: (id) => get<BulkOperation>(pathOf(id)),
    list: (page = {}) => get<BulkOperationPage>(path, pageQuery(page)),
    items: (id, { outcome, ...page } = {}) =>
      get<BulkItemPage>(pathOf(id, "/items"), { outcome, ...pageQuery(page) }),
    stop: async (id, { reason, actor = usualActor }) =>
      (
        await send<BulkOperation>({
          method: "POST",
          path: pathOf(id, "/stop"),
          body: { reason, actor },
          repeat: "only when refused",
        })
      ).body,
  };
}
