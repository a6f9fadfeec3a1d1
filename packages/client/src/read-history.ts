import type { Send } from "./request.ts";
import type { HistoryEntry } from "./types.ts";

interface HistoryPage {
  readonly items: readonly HistoryEntry[];
  /**
   * The entry after which the next page begins. Absent: the service is of an earlier release, which answers all at
   * once.
   */
  readonly next?: string | null;
}

/** The history of a task, oldest entry first, page by page. */
export async function readHistory(
  send: Send,
  id: string,
  signal?: AbortSignal,
): Promise<readonly HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  let cursor: string | null = null;
  do {
    const { body }: { readonly body: HistoryPage } = await send<HistoryPage>({
      method: "GET",
      path: `/v1/tasks/${encodeURIComponent(id)}/history`,
      query: { cursor: cursor ?? undefined },
      signal,
      repeat: "safe",
    });
    entries.push(...body.items);
    cursor = body.next ?? null;
  } while (cursor !== null);
  return entries;
}
