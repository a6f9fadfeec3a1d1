import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A page of the documentation that belongs to this release. */
export interface DocPage {
  /** `guides/workflows`. */
  readonly name: string;
  readonly title: string;
  /** Its first sentences. */
  readonly summary: string;
  readonly text: string;
}

/** A place in a page. */
export interface DocHit {
  readonly name: string;
  /** The heading above it. */
  readonly heading: string;
  readonly line: number;
  readonly excerpt: string;
}

/** The folders of pages in the order in which people need them. */
const folders = ["get-started", "guides", "reference", "internals"] as const;
/** The folders of the docs beside the code of an installed package, and in the repository. */
const places = ["../../docs/", "../../../../docs/"];

/** All pages, read from the files that came with this release. Empty if they were left out. */
export function docPages(folder = docsFolder()): readonly DocPage[] {
  if (folder === null) return [];
  return folders.flatMap((room) =>
    globSync(`${room}/*.md`, { cwd: folder })
      .toSorted()
      .map((file) => toPage(file, readFileSync(join(folder, file), "utf8"))),
  );
}

function docsFolder(): string | null {
  const found = places
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((place) => existsSync(join(place, "guides")));
  return found ?? null;
}

function toPage(file: string, text: string): DocPage {
  const name = file.replaceAll("\\", "/").replace(/\.md$/, "");
  const [, title = name] = /^# (.+)$/m.exec(text) ?? [];
  const paragraphs = text.split(/\n\s*\n/).map((part) => part.trim());
  const first = paragraphs.find((part) => /^[A-Z`[*]/.test(part)) ?? "";
  return { name, title, summary: withoutLinks(first).replaceAll("\n", " "), text };
}

const withoutLinks = (text: string): string => text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");

/** The page of this name, with or without its folder and `.md`; null: there is none. */
export function findPage(pages: readonly DocPage[], asked: string): DocPage | null {
  const wanted = asked.replace(/^\/?(docs\/)?/, "").replace(/\.md$/, "");
  return pages.find(({ name }) => name === wanted || name.split("/")[1] === wanted) ?? null;
}

const longestExcerpt = 300;

/** Places where all words stand in one paragraph, those first where they stand in its heading. */
export function searchDocs(
  pages: readonly DocPage[],
  words: string,
  most: number,
): readonly DocHit[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return [];
  const hits = pages.flatMap((page) => paragraphsOf(page).flatMap((hit) => rank(hit, wanted)));
  return hits
    .toSorted((one, other) => other.weight - one.weight)
    .slice(0, most)
    .map(({ weight: _weight, ...hit }) => ({
      ...hit,
      excerpt: hit.excerpt.slice(0, longestExcerpt),
    }));
}

function rank(hit: DocHit, wanted: readonly string[]) {
  const [heading, text] = [hit.heading.toLowerCase(), hit.excerpt.toLowerCase()];
  if (!wanted.every((word) => heading.includes(word) || text.includes(word))) return [];
  return [{ ...hit, weight: wanted.filter((word) => heading.includes(word)).length }];
}

/** Each paragraph, list and table row by itself, under its heading. */
function paragraphsOf({ name, title, text }: DocPage): readonly DocHit[] {
  let heading = title;
  const hits: DocHit[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const [, found] = /^#+ (.+)$/.exec(line) ?? [];
    if (found !== undefined) heading = found;
    const excerpt = withoutLinks(line).trim();
    if (excerpt !== "") hits.push({ name, heading, line: index + 1, excerpt });
  }
  return hits;
}
