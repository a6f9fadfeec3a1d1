import type { Api } from "./api.ts";
import type { Page } from "./operations-types.ts";

/** Pages of a list that are asked for: 10,000 items, and 20,000 moves of a history. */
const mostPages = 20;

/** The items of all pages of a list, as far as they are shown. */
export async function askAll<T>(
  { ask }: Pick<Api, "ask">,
  path: string,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<{ readonly items: readonly T[] }> {
  const items: T[] = [];
  let query: Readonly<Record<string, string>> = { limit: String(limit) };
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await ask<Page<T>>({ method: "GET", path, query }, signal);
    items.push(...page.items);
    if (page.next === null) break;
    query = { ...query, after: page.next };
  }
  return { items };
}
