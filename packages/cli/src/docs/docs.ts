import type { Answer } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { readArguments, usageFault } from "../read-arguments.ts";
import { type DocPage, docPages, findPage, searchDocs } from "./doc-pages.ts";

const docsUsage = `holdfast docs [page] [options]

  Lists the pages of the documentation of this release, or prints one, such as guides/workflows.

  --search WORDS   print the places where all of these words stand
  --json           for machines

exit code: 0 done; 2 wrong use; 3 there is no such page`;

const mostHits = 20;

/** Lists, prints or searches the documentation. Needs no server and no network. */
export async function docs(args: readonly string[]): Promise<Answer> {
  const { values, positionals } = parse(args);
  const [asked, ...more] = positionals;
  if (values.help) return { exitCode: 0, text: docsUsage, json: { usage: docsUsage } };
  if (more.length > 0) throw usageFault(`docs does not take ${more.join(" ")}`);
  const pages = docPages();
  if (values.search !== undefined) return search(pages, values.search);
  if (asked === undefined) return list(pages);
  const page = findPage(pages, asked);
  if (page !== null) return { exitCode: 0, text: page.text.trimEnd(), json: page };
  const message = `There is no page ${asked}. Pages: ${pages.map(({ name }) => name).join(", ")}`;
  return { exitCode: exitCodes.notFound, text: message, json: { error: "docs.unknown", message } };
}

function parse(args: readonly string[]) {
  return readArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      search: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false, short: "h" },
    },
  });
}

function list(pages: readonly DocPage[]): Answer {
  const longest = Math.max(0, ...pages.map(({ name }) => name.length));
  const items = pages.map(({ name, title, summary }) => ({ name, title, summary }));
  const text = items.map(({ name, title }) => `${name.padEnd(longest)}  ${title}`).join("\n");
  return { exitCode: 0, text, json: { pages: items } };
}

function search(pages: readonly DocPage[], words: string): Answer {
  const hits = searchDocs(pages, words, mostHits);
  const lines = hits.map(
    ({ name, line, heading, excerpt }) => `${name}:${line}  ${heading}\n    ${excerpt}`,
  );
  const text = hits.length === 0 ? `No page has all of these words: ${words}` : lines.join("\n");
  return { exitCode: hits.length === 0 ? exitCodes.notFound : 0, text, json: { hits } };
}
