import { decodePercents } from "@holdfast/domain";

/** The page of the console that one is at. */
export type Route =
  | { readonly page: "overview" }
  | { readonly page: "tasks" }
  | { readonly page: "task"; readonly id: string }
  | { readonly page: "failures"; readonly rest: string }
  | { readonly page: "approvals" }
  | { readonly page: "approval"; readonly id: string; readonly step: string }
  | { readonly page: "workflows"; readonly rest: string }
  | { readonly page: "schedules"; readonly rest: string }
  | { readonly page: "agents"; readonly rest: string }
  | { readonly page: "system"; readonly rest: string }
  | { readonly page: "unknown" };

export const base = "/console";

/** The tabs, in their order; `g` and the key lead to each. */
export const tabs = [
  { page: "overview", title: "Overview", path: "/", key: "o" },
  { page: "tasks", title: "Tasks", path: "/tasks", key: "t" },
  { page: "failures", title: "Failures", path: "/failures", key: "f" },
  { page: "approvals", title: "Approvals", path: "/approvals", key: "p" },
  { page: "workflows", title: "Workflows", path: "/workflows", key: "w" },
  { page: "schedules", title: "Schedules", path: "/schedules", key: "c" },
  { page: "agents", title: "Agents", path: "/agents", key: "a" },
  { page: "system", title: "System", path: "/system", key: "s" },
] as const satisfies readonly {
  readonly page: Route["page"];
  readonly title: string;
  readonly path: string;
  readonly key: string;
}[];

/** The tab under which a route belongs. */
export const tabOf = ({ page }: Route): string => {
  if (page === "task") return "tasks";
  return page === "approval" ? "approvals" : page;
};

/** Reads a path below the base. A part that cannot be decoded leads nowhere. */
export function readRoute(path: string): Route {
  const [first = "", second = "", ...more] = path.replace(/^\/+|\/+$/g, "").split("/");
  const rest = decodePercents([second, ...more].join("/"));
  if (rest === null) return { page: "unknown" };
  if (first === "") return { page: "overview" };
  if (first === "tasks") return rest === "" ? { page: "tasks" } : { page: "task", id: rest };
  if (first === "approvals") return readApproval(second, more);
  return isWithRest(first) ? { page: first, rest } : { page: "unknown" };
}

/** The pages that read the rest of their path themselves. */
const withRest = ["failures", "workflows", "schedules", "agents", "system"] as const;

const isWithRest = (first: string): first is (typeof withRest)[number] =>
  withRest.some((page) => page === first);

/** The name of a step may have slashes: each part is decoded by itself. */
function readApproval(task: string, more: readonly string[]): Route {
  if (task === "") return { page: "approvals" };
  const [id, step] = [decodePercents(task), decodePercents(more.join("/"))];
  return id === null || step === null || step === ""
    ? { page: "unknown" }
    : { page: "approval", id, step };
}

export const taskPath = (id: string): string => `/tasks/${encodeURIComponent(id)}`;
export const approvalPath = (id: string, step: string): string =>
  `/approvals/${encodeURIComponent(id)}/${encodeURIComponent(step)}`;
export const agentPath = (name: string): string => `/agents/${encodeURIComponent(name)}`;
export const schedulePath = (id: string): string => `/schedules/${encodeURIComponent(id)}`;
export const workflowPath = (name: string): string => `/workflows/${encodeURIComponent(name)}`;
