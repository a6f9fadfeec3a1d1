import { readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** A row of docs/evidence/pattern.md, and the tests that it names. */
export interface PatternRow {
  readonly id: string;
  readonly asks: string;
  readonly tests: readonly { readonly title: string; readonly file: string }[];
}

const page = "docs/evidence/pattern.md";

/** The rows of docs/evidence/pattern.md below a folder of the repository's layout. */
export function readRows(root: string): readonly PatternRow[] {
  const text = readFileSync(join(root, page), "utf8");
  const targets = new Map(
    [...text.matchAll(/^\[([^\]]+)\]: (\S+)$/gm)].map(([, label = "", path = ""]) => [
      label,
      posix.join(posix.dirname(page), path),
    ]),
  );
  return [...text.matchAll(/^\| (P-\d+) +\| (.+?) +\| (.+?) +\|$/gm)].map(
    ([, id = "", asks = "", evidence = ""]) => ({
      id,
      asks,
      tests: [...evidence.matchAll(/\[([^\]]+)\]\[([^\]]+)\]/g)].map(
        ([, title = "", label = ""]) => ({
          title,
          file: targets.get(label) ?? "",
        }),
      ),
    }),
  );
}
