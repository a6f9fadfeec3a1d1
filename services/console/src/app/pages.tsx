import { Suspense, useEffect } from "react";
import { useSession } from "../api/console-context.ts";
import type { Role } from "../api/session.ts";
import { TasksPage } from "../pages/tasks/tasks-page.tsx";
import { Empty } from "../parts/empty.tsx";
import { Loading } from "../parts/loading.tsx";
import { lazyPage } from "./load-page.ts";
import { usePlace } from "./router.tsx";
import { type Route, readRoute, tabOf, tabs } from "./routes.ts";

const overview = lazyPage(
  async () => (await import("../pages/overview/overview-page.tsx")).OverviewPage,
);
const task = lazyPage(async () => (await import("../pages/task/task-page.tsx")).TaskPage);
const failures = lazyPage(
  async () => (await import("../pages/failures/failures-page.tsx")).FailuresPage,
);
const approvals = lazyPage(
  async () => (await import("../pages/approvals/approvals-page.tsx")).ApprovalsPage,
);
const approval = lazyPage(
  async () => (await import("../pages/approvals/approval-page.tsx")).ApprovalPage,
);
const workflows = lazyPage(
  async () => (await import("../pages/workflows/workflows-page.tsx")).WorkflowsPage,
);
const schedules = lazyPage(
  async () => (await import("../pages/schedules/schedules-page.tsx")).SchedulesPage,
);
const agents = lazyPage(async () => (await import("../pages/agents/agents-page.tsx")).AgentsPage);
const system = lazyPage(async () => (await import("../pages/system/system-page.tsx")).SystemPage);

const loaded = [
  overview,
  task,
  failures,
  approvals,
  approval,
  workflows,
  schedules,
  agents,
  system,
];

/**
 * Milliseconds after which the other pages are loaded: an operator opens them when the connection
 * may be gone.
 */
const idleAfter = 3_000;

/**
 * The page of the URL. Each but the list of tasks is loaded when it is first shown, or soon after
 * the first.
 */
export function Pages() {
  const { role } = useSession();
  const route = routeFor(role, readRoute(usePlace().path));
  const title = titleOf(route);
  useEffect(() => void (document.title = `${title} · Holdfast`), [title]);
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const page of loaded) page.preload();
    }, idleAfter);
    return () => clearTimeout(timer);
  }, []);
  return <Suspense fallback={<Loading />}>{pageOf(route)}</Suspense>;
}

/** The page that one is led to: operators see all of them, and others what they decide. */
function routeFor(role: Role, route: Route): Route | { readonly page: "operators" } {
  if (role === "operator" || route.page === "approvals" || route.page === "approval") return route;
  return route.page === "overview" ? { page: "approvals" } : { page: "operators" };
}

function pageOf(route: ReturnType<typeof routeFor>) {
  switch (route.page) {
    case "overview":
      return <overview.Page />;
    case "tasks":
      return <TasksPage />;
    case "task":
      return <task.Page key={route.id} id={route.id} />;
    case "failures":
      return <failures.Page />;
    case "approvals":
      return <approvals.Page />;
    case "approval":
      return <approval.Page key={`${route.id} ${route.step}`} id={route.id} step={route.step} />;
    case "operators":
      return (
        <Empty title="Only operators see this page">
          You have signed in with a key or a token of your own: it shows what you decide.
        </Empty>
      );
    case "workflows":
      return <workflows.Page />;
    case "schedules":
      return <schedules.Page />;
    case "agents":
      return <agents.Page />;
    case "system":
      return <system.Page />;
    case "unknown":
      return <Empty title="There is no such page">Choose one of the tabs above.</Empty>;
  }
}

const titleOf = (route: ReturnType<typeof routeFor>): string => {
  if (route.page === "operators") return "Console";
  return route.page === "task"
    ? `Task ${route.id.slice(0, 8)}`
    : (tabs.find(({ page }) => page === tabOf(route))?.title ?? "Console");
};
