import type { Api } from "./api.ts";
import type { Call } from "./call.ts";
import type { Page } from "./operations-types.ts";

/** Pages of a list that are asked for: 10,000 items, and 20,000 moves of a history. */
const mostPages = 20;

/** Which page of a list is asked for. */
export interface PageQuery {
  readonly limit: number;
  readonly after?: string;
}

interface Asking {
  /** The request of a page. */
  readonly page: (query: PageQuery) => Call;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** The items of all pages of a list, as far as they are shown. */
export async function askAll<T>(
  { ask }: Pick<Api, "ask">,
  { page, limit, signal }: Asking,
): Promise<{ readonly items: readonly T[] }> {
  const items: T[] = [];
  let query: PageQuery = { limit };
  for (let pages = 0; pages < mostPages; pages += 1) {
    const found = await ask<Page<T>>(page(query), signal);
    items.push(...found.items);
    if (found.next === null) break;
    query = { limit, after: found.next };
  }
  return { items };
}
