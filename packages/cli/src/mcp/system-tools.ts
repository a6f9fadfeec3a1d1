import { faultCodes, PermanentFault } from "@holdfast/domain";
import { z } from "zod";
import { docPages, findPage, searchDocs } from "../docs/doc-pages.ts";
import { defineTool, type Tool } from "./tool.ts";

const listWorkflows = defineTool({
  name: "list_workflows",
  title: "List workflows",
  description: "The stored workflows, with their collections, and which are retired.",
  input: {},
  writes: false,
  run: (_, api) => api.get("/v1/workflows"),
});

const showWorkflow = defineTool({
  name: "show_workflow",
  title: "Show a workflow",
  description:
    "The definition of a workflow: its steps with their policies and undos, and the JSON Schemas of its input and of what its Agents take and return.",
  input: { name: z.string().min(1).describe("Such as book-trip.v1.") },
  writes: false,
  run: ({ name }, api) => api.get(`/v1/workflows/${encodeURIComponent(name)}`),
});

const listAgents = defineTool({
  name: "list_agents",
  title: "List Agents",
  description:
    "The Agents with their instances, slots, breakers and pauses, and how many steps are in flight and due.",
  input: {},
  writes: false,
  run: (_, api) => api.get("/v1/agents"),
});

const listRemotes = defineTool({
  name: "list_remotes",
  title: "List remote services",
  description:
    "The remote services behind Agents, their circuit breakers, and the due steps that these hold back.",
  input: {},
  writes: false,
  run: (_, api) => api.get("/v1/remotes"),
});

const explainError = defineTool({
  name: "explain_error",
  title: "Explain a fault code",
  description: "What a fault code means, whether a retry can help, and what to do.",
  input: { code: z.string().min(1).max(200).describe("Such as step.expired.") },
  writes: false,
  async run({ code }) {
    if (Object.hasOwn(faultCodes, code)) {
      return { code, ...faultCodes[code as keyof typeof faultCodes] };
    }
    const [area = ""] = code.split(".");
    const like = Object.keys(faultCodes).filter((one) => one.startsWith(`${area}.`));
    if (like.length === 0) {
      return `${code} is no code of Holdfast: an Agent reports it. Look for it in the code of the Agent that the task names.`;
    }
    throw new PermanentFault(
      "docs.unknown",
      `There is no code ${code}. Codes of this area: ${like.join(", ")}`,
    );
  },
});

const readDoc = defineTool({
  name: "read_doc",
  title: "Read a page of the documentation",
  description: "A page of the documentation of this release. Without a name: the list of pages.",
  input: { page: z.string().optional().describe("Such as guides/workflows.") },
  writes: false,
  async run({ page }) {
    const pages = docPages();
    const list = pages.map(({ name, title, summary }) => ({ name, title, summary }));
    if (page === undefined) return { pages: list };
    const found = findPage(pages, page);
    if (found !== null) return found.text;
    const names = list.map(({ name }) => name).join(", ");
    throw new PermanentFault("docs.unknown", `There is no page ${page}. Pages: ${names}`);
  },
});

const searchDoc = defineTool({
  name: "search_docs",
  title: "Search the documentation",
  description: "Places in the documentation of this release where all of the words stand.",
  input: { words: z.string().min(1).max(200), limit: z.int().min(1).max(50).default(10) },
  writes: false,
  run: async ({ words, limit }) => ({ hits: searchDocs(docPages(), words, limit) }),
});

export const systemTools: readonly Tool[] = [
  listWorkflows,
  showWorkflow,
  listAgents,
  listRemotes,
  explainError,
  readDoc,
  searchDoc,
];
