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
      query: { limit: limit?.toString(), after: after ?? undefined },
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
