import { faultCodes, PermanentFault } from "@holdfast/domain";
import { z } from "zod";
import { callOperation } from "../api/call-operation.ts";
import type { OperationId } from "../api/operation.ts";
import { docPages, findPage, searchDocs } from "../docs/doc-pages.ts";
import { defineTool, type Tool } from "./tool.ts";
import { given, meantBy, toolDescription, toolInput } from "./tool-input.ts";

const read = (name: string, title: string, operation: OperationId): Tool =>
  defineTool({
    name,
    title,
    description: toolDescription(operation),
    operations: [operation],
    input: {},
    writes: false,
    run: (_, client) => callOperation(client, operation, {}),
  });

/** A list of which a model asks one page after the other. */
const pagedTool = (
  name: string,
  title: string,
  operation: "listWorkflows" | "listAgents" | "listSchedules",
): Tool =>
  defineTool({
    name,
    title,
    description: toolDescription(
      operation,
      "`next` of an answer is the `after` of the next page; null: there is none.",
    ),
    operations: [operation],
    input: toolInput(operation, "limit", "after"),
    writes: false,
    run: (asked, client) => callOperation(client, operation, given(asked)),
  });

const listWorkflows = pagedTool("list_workflows", "List workflows", "listWorkflows");
const listAgents = pagedTool("list_agents", "List Agents", "listAgents");
const listSchedules = pagedTool("list_schedules", "List schedules", "listSchedules");
const listRemotes = read("list_remotes", "List remote services", "listRemotes");

const showOverview = read("show_overview", "Show what needs an operator", "getOverview");
const doctor = read("doctor", "Look at the servers", "examine");
const showSystem = read("show_system", "Show the system", "getSystem");

const listDeadLetters = defineTool({
  name: "list_dead_letters",
  title: "List dead letters",
  description: toolDescription("listDeadLetters"),
  operations: ["listDeadLetters"],
  input: toolInput("listDeadLetters", "queue", "limit", "after"),
  writes: false,
  run: (asked, client) => callOperation(client, "listDeadLetters", given(asked)),
});

const showWorkflow = defineTool({
  name: "show_workflow",
  title: "Show a workflow",
  description: toolDescription("getWorkflow"),
  operations: ["getWorkflow"],
  input: toolInput("getWorkflow", "name"),
  writes: false,
  run: ({ name = "" }, { workflows }) => workflows.get(name),
});

const getSchedule = defineTool({
  name: "get_schedule",
  title: "Show a schedule",
  description: toolDescription(
    "getSchedule",
    "With the instants that come next, and what became of the last ten.",
  ),
  operations: ["getSchedule", "listScheduleInstants", "listFires"],
  input: toolInput("getSchedule", "id"),
  writes: false,
  run: async ({ id = "" }, { schedules }) => {
    const [schedule, next, fires] = await Promise.all([
      schedules.get(id),
      schedules.next(id),
      schedules.fires(id, { limit: 10 }),
    ]);
    return { ...schedule, nextInstants: next.items, lastFires: fires.items };
  },
});

const explainError = defineTool({
  name: "explain_error",
  title: "Explain a fault code",
  description: "What a fault code means, whether a retry can help, and what to do.",
  operations: [],
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
  operations: [],
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

/** Places that a search names at most: a higher limit is lowered to it. */
const mostHits = 50;

const searchDoc = defineTool({
  name: "search_docs",
  title: "Search the documentation",
  description: "Places in the documentation of this release where all of the words stand.",
  operations: [],
  input: {
    words: z.string().min(1).max(200),
    limit: meantBy("integer", z.int().min(1).default(10)),
  },
  writes: false,
  run: async ({ words, limit }) => ({
    hits: searchDocs(docPages(), words, Math.min(limit, mostHits)),
  }),
});

export const systemTools: readonly Tool[] = [
  listWorkflows,
  showWorkflow,
  listAgents,
  listRemotes,
  listSchedules,
  getSchedule,
  showOverview,
  doctor,
  showSystem,
  listDeadLetters,
  explainError,
  readDoc,
  searchDoc,
];
