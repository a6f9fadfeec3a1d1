/** Names that are suggested at most. */
const most = 5;

/** The known names, those that look most like `name` first. */
export function namesLike(name: string, known: readonly string[]): readonly string[] {
  return known
    .map((one) => ({ one, distance: editDistance(name.slice(0, 100), one.slice(0, 100)) }))
    .toSorted((a, b) => a.distance - b.distance || (a.one < b.one ? -1 : 1))
    .slice(0, most)
    .map(({ one }) => one);
}

/** The known name that `name` is a slip of the keyboard away from; null: none is so close. */
export function meantName(name: string, known: readonly string[]): string | null {
  const [nearest = ""] = namesLike(name, known);
  const slips = Math.max(2, Math.floor(name.length / 3));
  return nearest !== "" && editDistance(name, nearest) <= slips ? nearest : null;
}

/**
 * How many characters must be added, removed or replaced to make one text of the other
 * (Levenshtein).
 */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
