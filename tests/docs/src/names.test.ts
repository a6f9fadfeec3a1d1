import { expect, test } from "@jest/globals";
import { codeFiles, commentsOf, exists, isLostIdentifier, nameOf } from "./names.ts";
import { markdownFiles, readFile } from "./repository.ts";

const blocks = /^```[^\n]*\n([\s\S]*?)^```/gm;
const quoted = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, word = ""]) => word.trim());

/** The lines of blocks of code that are commands of this repository. */
const commandsIn = (text: string): readonly string[] =>
  (text.match(blocks) ?? [])
    .flatMap((block) => block.split("\n"))
    .map((line) => line.trim())
    .filter((line) => /^(?:npm run|pnpm|(?:npx )?holdfast) /.test(line));

/**
 * A decision is of its day. Its context says how things were before, and "Not taken" what was never
 * built: these paragraphs may name what does not exist, and so may a decision that another one has
 * replaced as a whole. So may the list of what is not there yet, of which another test asks the
 * contrary.
 */
function proseOf(page: string, text: string): string {
  if (page === "docs/get-started/compare.md") return text.replace(notThereYet, "");
  if (!page.startsWith("docs/decisions/")) return text;
  if (/^\*\*Status\.\*\* Superseded by /m.test(text)) return "";
  return text.replace(/^\*\*(?:Context|Not taken)\.\*\*[\s\S]*?(?=^\*\*[A-Z]|(?![\s\S]))/gm, "");
}
const notThereYet = /^## What is not there yet[\s\S]*/m;

/**
 * The names on a page that nothing has. What a block of code of the page shows is the reader's own.
 */
function lostOn(page: string): readonly string[] {
  const text = readFile(page);
  const prose = proseOf(page, text);
  const shown = (prose.match(blocks) ?? []).join("\n");
  const words = quoted(prose.replace(blocks, "")).filter((word) => !shown.includes(word));
  return lostAmong([...words, ...commandsIn(prose)]);
}

const lostAmong = (words: readonly string[]): readonly string[] =>
  words.filter((word) => {
    const name = nameOf(word);
    return name !== null && !exists(name);
  });

test.each(markdownFiles)(
  "%s names only paths, commands, routes, codes and settings that exist",
  (page) => {
    expect(lostOn(page)).toEqual([]);
  },
);

/** Names of files that stand in a comment without backticks. */
const bareFiles = (text: string): readonly string[] =>
  text
    .replace(/`[^`]*`/g, "")
    .match(/(?<![\w/.@:*-])\w[\w./-]*\.(?:ts|mjs|sql|md|ya?ml|sh|py|conf)(?![\w(.-])/g) ?? [];

test.each([...new Set(codeFiles.map((file) => file.split("/").slice(0, 2).join("/")))])(
  "the comments of %s name only files, commands, routes, codes, settings and identifiers that exist",
  (part) => {
    const files = codeFiles.filter((file) => file === part || file.startsWith(`${part}/`));
    const lost = files.flatMap((file) => {
      const comments = commentsOf(file);
      const words = quoted(comments);
      const identifiers = /\.(?:tsx?|sql)$/.test(file) ? words.filter(isLostIdentifier) : [];
      const named = lostAmong([...words, ...bareFiles(comments)]);
      return [...named, ...identifiers].map((word) => `${file}: ${word}`);
    });
    expect(lost).toEqual([]);
  },
);

/** Pages for everyone's own tasks: there is no collection but the example's. */
const general = /^docs\/guides\/(?:operations|command|deploy|upgrade)\.md$/;

test.each(markdownFiles.filter((page) => general.test(page)))(
  "%s asks for tasks at /v1/tasks, which every installation has",
  (page) => {
    const routes = quoted(readFile(page).replace(blocks, "")).filter(
      (word) => nameOf(word)?.kind === "route",
    );
    expect(routes.filter((route) => /\/v1\/orders\b/.test(route))).toEqual([]);
  },
);

/** Codes of tasks under the noun of a collection: there are none. */
const strangeCodes = (text: string): readonly string[] =>
  quoted(text.replace(blocks, "")).filter((word) => {
    const twin = word.replace(/^(?:order|trip)\./, "task.");
    return twin !== word && exists({ kind: "code", text: twin });
  });

test.each(markdownFiles)("%s names codes as the catalogue has them", (page) => {
  expect(strangeCodes(proseOf(page, readFile(page)))).toEqual([]);
});

test("a code under the noun of a collection is found", () => {
  expect(strangeCodes("There is `order.unknown`.")).toEqual(["order.unknown"]);
  expect(strangeCodes("What is `task.unknown` is `order.unknown`.")).toEqual(["order.unknown"]);
  expect(strangeCodes("There is `task.unknown`.")).toEqual([]);
});

test("a name that nothing has is found, of each kind", () => {
  const lost = [
    "packages/contracts/src/step-reply.ts",
    "no-such-file.sql",
    "npm run nothing",
    "holdfast tasks forget",
    "holdfast forget",
    "GET /v1/tasks/:id/nothing",
    "POST /v1/agents",
    "/v1/reservations/:id",
    "task.nothing",
    "state.nothing_at_all",
    "NO_SUCH_SETTING=on",
    "@holdfast/nothing",
    "@holdfast/client/nothing",
  ];
  expect(lostAmong(lost)).toEqual(lost);
  const identifiers = ["foundNowhereAtAll", "found-nowhere-at-all", "openStateStore"];
  expect(identifiers.filter(isLostIdentifier)).toEqual(identifiers.slice(0, 2));
  const found = [
    "packages/contracts/src/messages/step-reply.ts",
    "packages/*/src/index.ts",
    "npm run reference",
    "npx holdfast tasks list --state open",
    "GET /v1/tasks/$ID/history",
    "POST /v1/orders",
    "GET /metrics",
    "task.invalid",
    "undo.key",
    "state.tasks",
    "BROKER_URL=amqp://localhost",
    "@holdfast/client/postgres",
  ];
  expect(lostAmong(found)).toEqual([]);
});
