import { table } from "./reference/json-schema.ts";
import { markdownFiles, readFile } from "./repository.ts";

const folder = "docs/decisions/";

/** The pages of decisions, in the order of their numbers. */
export const decisionPages: readonly string[] = markdownFiles.filter((file) =>
  /^docs\/decisions\/\d{4}-/.test(file),
);

export const numberOf = (page: string): string => page.slice(folder.length, folder.length + 4);

/** The table of docs/decisions/README.md. */
export const decisionsTable = (): string =>
  table([
    ["number", "decision"],
    ...decisionPages.map((page) => [
      `[${numberOf(page)}](${page.slice(folder.length)})`,
      (readFile(page).split("\n")[0] ?? "").slice("# 0000: ".length),
    ]),
  ]);
