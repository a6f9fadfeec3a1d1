import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A block of code of a page. */
export interface CodeBlock {
  readonly page: string;
  /** Its line in the page. */
  readonly line: number;
  /** What stands after the three backticks. */
  readonly language: string;
  readonly text: string;
}

/** The README and all pages that tell people what to type. */
export const pages: readonly string[] = globSync(["README.md", "docs/{get-started,guides}/*.md"], {
  cwd: root,
})
  // Its commands belong to a folder outside of the repository, where tests/outside types them.
  .filter((page) => page !== "docs/get-started/your-workflow.md")
  .toSorted();

/** The page of each package, as package registries show it. */
export const packagePages: readonly string[] = globSync("packages/*/README.md", {
  cwd: root,
}).toSorted();

export function codeBlocksOf(page: string): readonly CodeBlock[] {
  const source = readFileSync(join(root, page), "utf8");
  return [...source.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ({ index, 1: language = "", 2: text = "" }) => ({
      page,
      line: source.slice(0, index).split("\n").length,
      language,
      text,
    }),
  );
}

/** The commands of a block, each on one line, without comments. */
export const commandsOf = ({ text }: CodeBlock): readonly string[] =>
  text
    .replaceAll("\\\n", " ")
    .replace(/\|\n/g, "| ")
    .split("\n")
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => line !== "");
