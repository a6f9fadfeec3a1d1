/** The text of a comment, on one line. */
const proseOf = (comment: string): string =>
  comment
    .replace(/^\s*\/\*\*|\*\/$/g, "")
    .replace(/^\s*\* ?/gm, "")
    .replace(/\s+/g, " ")
    .trim();

/**
 * The comments that stand before the keys of object literals, by the last two keys: `undo.step`.
 */
export function commentsOfKeys(source: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const open: { readonly indent: number; readonly key: string }[] = [];
  const pattern = /(\/\*\*(?:[^*]|\*(?!\/))*\*\/\s*\n)?^( +)([A-Za-z_]\w*): /gm;
  for (const [, comment, indent = "", key = ""] of source.matchAll(pattern)) {
    while ((open.at(-1)?.indent ?? -1) >= indent.length) open.pop();
    const parent = open.at(-1)?.key;
    open.push({ indent: indent.length, key });
    if (comment === undefined) continue;
    found.set(parent === undefined ? key : `${parent}.${key}`, proseOf(comment.trim()));
  }
  return found;
}

/** The comments of exported constants and types, by their names. */
export const commentsOfExports = (source: string): ReadonlyMap<string, string> =>
  new Map(
    [
      ...source.matchAll(
        /(\/\*\*(?:[^*]|\*(?!\/))*\*\/)\nexport (?:const|type|interface|function) (\w+)/g,
      ),
    ].map(([, comment = "", name = ""]) => [name, proseOf(comment)]),
  );

/** Which exported constant the value of a key is: `EVENTS: Events`. */
export const namesOfValues = (source: string): ReadonlyMap<string, string> =>
  new Map(
    [...source.matchAll(/^ {2}([A-Z_]+)(?:: (\w+))?,$/gm)].map(([, key = "", name = key]) => [
      key,
      name,
    ]),
  );
