/** How comments look, by the ends of files' names. */
const languages: readonly (readonly [RegExp, RegExp])[] = [
  [/\.(?:tsx?|mjs|css)$/, /\/\*(?:[^*]|\*(?!\/))*\*\/|(?<=^|\s)\/\/.*$/gm],
  [/\.sql$/, /--.*$/gm],
  [/\.(?:sh|py|ya?ml|conf|tpl)$|Dockerfile$|^\.ci\//, /(?<=^|\s)#.*$/gm],
];

const patternOf = (file: string): RegExp | undefined =>
  languages.find(([ends]) => ends.test(file))?.[1];

/** The comments of a file, a line break between them. */
export function commentsIn(file: string, text: string): string {
  const pattern = patternOf(file);
  return pattern === undefined ? "" : (text.match(pattern) ?? []).join("\n");
}

/** A file without its comments. */
export function codeIn(file: string, text: string): string {
  const pattern = patternOf(file);
  return pattern === undefined ? text : text.replace(pattern, "");
}
