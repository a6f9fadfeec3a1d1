/** Ids from one to another, both among them. */
export interface IdSpan {
  readonly from: number;
  readonly to: number;
}

/**
 * What is left of spans of ids without those that were seen. Spans and ids may come in any order.
 */
export function idGaps(spans: readonly IdSpan[], seen: Iterable<number>): readonly IdSpan[] {
  const ids = [...new Set(seen)].toSorted((one, other) => one - other);
  let at = 0;
  return spans
    .toSorted((one, other) => one.from - other.from)
    .flatMap(({ from, to }) => {
      const left: IdSpan[] = [];
      let next = from;
      for (; at < ids.length && ids[at]! <= to; at += 1) {
        const id = ids[at]!;
        if (id < next) continue;
        if (id > next) left.push({ from: next, to: id - 1 });
        next = id + 1;
      }
      return next <= to ? [...left, { from: next, to }] : left;
    });
}
