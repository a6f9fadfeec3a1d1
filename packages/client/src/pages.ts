import type { Send } from "./request.ts";
import type { HistoryEntry } from "./types.ts";

interface Page<Item> {
  readonly items: readonly Item[];
  /** What the next page begins after; null: this is the last. */
  readonly next: string | null;
}

interface ReadOptions {
  readonly limit?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A limit as the service takes it. It lowers a number above the maximum of its list, but one that
 * JavaScript writes with an exponent, or without end, is no number of a query or of JSON.
 */
export const limitOf = (limit: number): number =>
  limit > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : limit;

/** Says in a query which page of a list is asked for. */
export const pageQuery = ({
  limit,
  after,
}: {
  readonly limit?: number | undefined;
  readonly after?: string | null | undefined;
}): Readonly<Record<"limit" | "after", string | undefined>> => ({
  limit: limit === undefined ? undefined : String(limitOf(limit)),
  after: after ?? undefined,
});

/** All items of a list, page by page. */
export async function readPages<Item>(
  send: Send,
  path: string,
  { limit, signal }: ReadOptions = {},
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let after: string | null = null;
  do {
    const { body }: { readonly body: Page<Item> } = await send<Page<Item>>({
      method: "GET",
      path,
      query: pageQuery({ limit, after }),
      signal,
      repeat: "safe",
    });
    items.push(...body.items);
    after = body.next;
  } while (after !== null);
  return items;
}

/** The history of a task, oldest entry first. */
export const readHistory = (
  send: Send,
  id: string,
  signal?: AbortSignal,
): Promise<readonly HistoryEntry[]> =>
  readPages(send, `/v1/tasks/${encodeURIComponent(id)}/history`, { signal });
