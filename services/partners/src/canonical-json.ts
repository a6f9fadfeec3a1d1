/** The same text for the same JSON: the order of keys means nothing. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(
          Object.entries(item).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : item,
  );
