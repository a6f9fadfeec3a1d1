/**
 * The titles of a file of tests, in their order: the literals that stand before the function of a
 * test or a group, with the holes of `test.each` and of templates as they are written.
 */
export const titlesOf = (source: string): readonly string[] =>
  [
    ...source.matchAll(
      /(?:\b(?:test|it|describe)(?:\.concurrent)?|\))\(\s*(["`])((?:\\.|(?!\1)[^\\\n])*)\1,\s*(?:async )?\(/g,
    ),
  ].map(([, , title = ""]) => title.replace(/\\(.)/g, "$1"));

/** Whether a file has this test. `group › test` says in which group it is. */
export function hasTest(titles: readonly string[], name: string): boolean {
  const found = name.split(" › ").map((part) => part.trim());
  let from = 0;
  return found.every((part) => {
    const at = titles.indexOf(part, from);
    from = at + 1;
    return at >= 0;
  });
}
