import { useMemo } from "react";
import { usePlace } from "../../app/router.tsx";
import { readRoute } from "../../app/routes.ts";
import { WorkflowList } from "./workflow-list.tsx";
import { WorkflowPage } from "./workflow-page.tsx";

/** The stored workflows, or one of them. */
export function WorkflowsPage() {
  const { path } = usePlace();
  const name = useMemo(() => {
    const route = readRoute(path);
    return route.page === "workflows" ? route.rest : "";
  }, [path]);
  return name === "" ? <WorkflowList /> : <WorkflowPage key={name} name={name} />;
}
