/**
 * How many requests the instances of each Agent take in one message, as their last reply said. One, where nothing
 * is known or bundles are switched off.
 */
export function batchSizes({ bundles = true }: { readonly bundles?: boolean } = {}) {
  const sizes = new Map<string, number>();
  return {
    of: (agent: string): number => sizes.get(agent) ?? 1,
    /** What an Agent has just said; undefined: it takes one. */
    learn(agent: string, size = 1): void {
      if (bundles) sizes.set(agent, size);
    },
  };
}

export type BatchSizes = ReturnType<typeof batchSizes>;
