import { lazy, Suspense, useEffect } from "react";
import { TasksPage } from "../pages/tasks/tasks-page.tsx";
import { Empty } from "../parts/empty.tsx";
import { Loading } from "../parts/loading.tsx";
import { usePlace } from "./router.tsx";
import { type Route, readRoute, tabOf, tabs } from "./routes.ts";

const OverviewPage = lazy(async () => ({
  default: (await import("../pages/overview/overview-page.tsx")).OverviewPage,
}));
const TaskPage = lazy(async () => ({
  default: (await import("../pages/task/task-page.tsx")).TaskPage,
}));
const FailuresPage = lazy(async () => ({
  default: (await import("../pages/failures/failures-page.tsx")).FailuresPage,
}));
const WorkflowsPage = lazy(async () => ({
  default: (await import("../pages/workflows/workflows-page.tsx")).WorkflowsPage,
}));
const AgentsPage = lazy(async () => ({
  default: (await import("../pages/agents/agents-page.tsx")).AgentsPage,
}));
const SystemPage = lazy(async () => ({
  default: (await import("../pages/system/system-page.tsx")).SystemPage,
}));

/** The page of the URL. Each but the list of tasks is loaded when it is first shown. */
export function Pages() {
  const route = readRoute(usePlace().path);
  const title = titleOf(route);
  useEffect(() => void (document.title = `${title} · Holdfast`), [title]);
  return <Suspense fallback={<Loading />}>{pageOf(route)}</Suspense>;
}

function pageOf(route: Route) {
  switch (route.page) {
    case "overview":
      return <OverviewPage />;
    case "tasks":
      return <TasksPage />;
    case "task":
      return <TaskPage key={route.id} id={route.id} />;
    case "failures":
      return <FailuresPage />;
    case "workflows":
      return <WorkflowsPage />;
    case "agents":
      return <AgentsPage />;
    case "system":
      return <SystemPage />;
    case "unknown":
      return <Empty title="There is no such page">Choose one of the tabs above.</Empty>;
  }
}

const titleOf = (route: Route): string =>
  route.page === "task"
    ? `Task ${route.id.slice(0, 8)}`
    : (tabs.find(({ page }) => page === tabOf(route))?.title ?? "Console");
