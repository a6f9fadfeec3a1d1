/**
 * The definitions among what a module exports, each once: as `defineWorkflow` returns them, or as they are stored. They
 * are not validated: see `validateDefinition`. What is neither is something else that the module exports.
 */
export const definitionsIn = (exported: object): readonly object[] =>
  [...new Set<unknown>(Object.values(exported))].flatMap((one) => {
    if (typeof one !== "object" || one === null) return [];
    const { definition = one } = one as { readonly definition?: unknown };
    return isDefinition(definition) ? [definition] : [];
  });

const isDefinition = (value: unknown): value is object =>
  typeof value === "object" && value !== null && "format" in value && "steps" in value;
