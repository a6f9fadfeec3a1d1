import { Suspense, useEffect } from "react";
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
const workflows = lazyPage(
  async () => (await import("../pages/workflows/workflows-page.tsx")).WorkflowsPage,
);
const agents = lazyPage(async () => (await import("../pages/agents/agents-page.tsx")).AgentsPage);
const system = lazyPage(async () => (await import("../pages/system/system-page.tsx")).SystemPage);

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
  const route = readRoute(usePlace().path);
  const title = titleOf(route);
  useEffect(() => void (document.title = `${title} · Holdfast`), [title]);
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const page of [overview, task, failures, workflows, agents, system]) page.preload();
    }, idleAfter);
    return () => clearTimeout(timer);
  }, []);
  return <Suspense fallback={<Loading />}>{pageOf(route)}</Suspense>;
}

function pageOf(route: Route) {
  switch (route.page) {
    case "overview":
      return <overview.Page />;
    case "tasks":
      return <TasksPage />;
    case "task":
      return <task.Page key={route.id} id={route.id} />;
    case "failures":
      return <failures.Page />;
    case "workflows":
      return <workflows.Page />;
    case "agents":
      return <agents.Page />;
    case "system":
      return <system.Page />;
    case "unknown":
      return <Empty title="There is no such page">Choose one of the tabs above.</Empty>;
  }
}

const titleOf = (route: Route): string =>
  route.page === "task"
    ? `Task ${route.id.slice(0, 8)}`
    : (tabs.find(({ page }) => page === tabOf(route))?.title ?? "Console");
