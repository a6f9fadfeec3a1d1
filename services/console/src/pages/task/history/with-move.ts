import type { HistoryEntry } from "../../../api/types.ts";

/**
 * The history with a move of the stream: one that is known already, as after a lost connection,
 * changes nothing.
 */
export function withMove(
  items: readonly HistoryEntry[],
  move: HistoryEntry,
): readonly HistoryEntry[] {
  if (items.some(({ id }) => id === move.id)) return items;
  return [...items, move];
}
