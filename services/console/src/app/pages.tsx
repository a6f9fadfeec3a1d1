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
    case "workflows":
    case "agents":
    case "system":
    case "unknown":
      return <Empty title="There is no such page">Choose one of the tabs above.</Empty>;
  }
}

const titleOf = (route: Route): string =>
  route.page === "task"
    ? `Task ${route.id.slice(0, 8)}`
    : (tabs.find(({ page }) => page === tabOf(route))?.title ?? "Console");
