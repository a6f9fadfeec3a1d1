import { posix } from "node:path";

export interface Link {
  readonly text: string;
  /** The file, by its path below the root; empty: a page elsewhere. */
  readonly file: string;
  /** The heading, as it stands in the address; null: none. */
  readonly anchor: string | null;
}

/** A claim of a page: a row of a table whose first cell is an id such as `F-A1`. */
export interface Row {
  readonly id: string;
  readonly cells: readonly string[];
}

/** All links of a page, those by reference included. */
export function linksOf(page: string, text: string): readonly Link[] {
  const prose = withoutCode(text);
  const targets = new Map(
    [...prose.matchAll(/^\[([^\]]+)\]: (\S+)$/gm)].map(([, label = "", url = ""]) => [label, url]),
  );
  const inline = [...prose.matchAll(/\[([^\]]*)\]\(([^)\s]+)\)/g)];
  const referring = [...prose.matchAll(/\[([^\]]*)\]\[([^\]]+)\]/g)];
  return [
    ...inline.map(([, label = "", url = ""]) => toLink(page, label, url)),
    ...referring.map(([, label = "", name = ""]) => toLink(page, label, targets.get(name) ?? name)),
  ];
}

function toLink(page: string, text: string, url: string): Link {
  if (/^[a-z]+:/.test(url)) return { text, file: "", anchor: null };
  const [path = "", anchor = null] = url.split("#");
  const file = path === "" ? page : posix.join(posix.dirname(page), path);
  return { text: text.replaceAll("\\", ""), file: decodeURIComponent(file), anchor };
}

/** The rows of all tables of a page whose first cell is an id. */
export function rowsOf(text: string): readonly Row[] {
  return text.split("\n").flatMap((line) => {
    const [, id = "", ...cells] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return /^[A-Z]-[A-Z]?\d+$/.test(id) ? [{ id, cells: cells.slice(0, -1) }] : [];
  });
}

/** The headings of a page, as they stand in addresses. */
export const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replace(/\s/g, "-"),
    ),
  );

const withoutCode = (text: string): string =>
  text
    .replace(/^```[\s\S]*?^```/gm, "")
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]]/g, ""));
