import { PermanentFault } from "@holdfast/domain";
import type { Invocation, Outcome } from "../api/verb.ts";
import { exitCodes } from "../exit-codes.ts";
import { type DocPage, docPages, findPage, searchDocs } from "./doc-pages.ts";

const mostHits = 20;

/** Lists, prints or searches the documentation. Needs no server and no network. */
export async function docs({
  operands: [asked],
  text,
}: Pick<Invocation, "operands" | "text">): Promise<Outcome> {
  const pages = docPages();
  const words = text("search");
  if (words !== undefined) return search(pages, words);
  if (asked === undefined) return list(pages);
  const page = findPage(pages, asked);
  if (page !== null) return { value: page, text: page.text.trimEnd() };
  const names = pages.map(({ name }) => name).join(", ");
  throw new PermanentFault("docs.unknown", `There is no page ${asked}. Pages: ${names}`);
}

function list(pages: readonly DocPage[]): Outcome {
  const longest = Math.max(0, ...pages.map(({ name }) => name.length));
  const items = pages.map(({ name, title, summary }) => ({ name, title, summary }));
  const text = items.map(({ name, title }) => `${name.padEnd(longest)}  ${title}`).join("\n");
  return { value: { pages: items }, items, text };
}

function search(pages: readonly DocPage[], words: string): Outcome {
  const hits = searchDocs(pages, words, mostHits);
  const lines = hits.map(
    ({ name, line, heading, excerpt }) => `${name}:${line}  ${heading}\n    ${excerpt}`,
  );
  const text = hits.length === 0 ? `No page has all of these words: ${words}` : lines.join("\n");
  return {
    value: { hits },
    items: hits,
    text,
    ...(hits.length === 0 ? { exitCode: exitCodes.notFound } : {}),
  };
}
