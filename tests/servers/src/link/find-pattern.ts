/** Looks for bytes in a stream that comes in pieces. */
export interface PatternFinder {
  /** Whether the pattern ends in this chunk. */
  feed(chunk: Buffer): boolean;
}

/** Finds a pattern also where a boundary between chunks cuts it in two. */
export function findPattern(pattern: Buffer): PatternFinder {
  let tail: Buffer = Buffer.alloc(0);
  return {
    feed(chunk) {
      const seen = Buffer.concat([tail, chunk]);
      tail = seen.subarray(Math.max(0, seen.length - pattern.length + 1));
      return seen.includes(pattern);
    },
  };
}
