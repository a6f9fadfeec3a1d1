import { readFile } from "../repository.ts";
import { load } from "./load.ts";

interface Page {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
}

const rooms = {
  "get-started": "Get started",
  guides: "Guides",
  reference: "Reference",
  internals: "Internals",
} as const;

const pages = async (): Promise<readonly Page[]> => {
  const { docPages } = await load("packages/cli/src/docs/doc-pages.ts");
  return (docPages as () => readonly Page[])();
};

/** What Holdfast is, and where each page is: see llmstxt.org. */
export async function llmsIndex(): Promise<string> {
  const all = await pages();
  const sections = Object.entries(rooms).map(([room, title]) => {
    const lines = all
      .filter(({ name }) => name.startsWith(`${room}/`))
      .map((page) => `- [${page.title}](docs/${page.name}.md): ${firstSentence(page.summary)}`);
    return `## ${title}\n\n${lines.join("\n")}`;
  });
  const [, intro = ""] = /^# Holdfast\n\n([^\n]+)/.exec(readFile("README.md")) ?? [];
  const more =
    "`holdfast docs` prints these pages, and `holdfast mcp` serves them with tools that read a running system. Its package has all pages in one file, `llms-full.txt`.";
  const optional =
    "## Optional\n\n- [Decisions](docs/decisions/README.md): why it is as it is.\n- [Faults](docs/evidence/faults.md): each known fault, and the tests that show what happens.";
  return `${["# Holdfast", `> ${intro}`, more, ...sections, optional].join("\n\n")}\n`;
}

const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
