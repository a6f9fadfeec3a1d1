/**
 * How many requests the Agents of each lane take in one message, as their last reply said. One, where nothing
 * is known or bundles are switched off.
 */
export function batchSizes({ bundles = true }: { readonly bundles?: boolean } = {}) {
  const sizes = new Map<string, number>();
  return {
    of: (lane: string): number => sizes.get(lane) ?? 1,
    /** What an Agent has just said; undefined: it takes one. */
    learn(lane: string, size = 1): void {
      if (bundles) sizes.set(lane, size);
    },
  };
}

export type BatchSizes = ReturnType<typeof batchSizes>;
