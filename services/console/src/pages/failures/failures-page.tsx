import { useMemo } from "react";
import { usePlace } from "../../app/router.tsx";
import { readRoute } from "../../app/routes.ts";
import { BulkList } from "./bulk-list.tsx";
import { BulkPage } from "./bulk-page.tsx";
import { Groups } from "./groups.tsx";

/** Failures that are alike, and what was done about many of them at once. */
export function FailuresPage() {
  const { path } = usePlace();
  const rest = useMemo(() => {
    const route = readRoute(path);
    return route.page === "failures" ? route.rest : "";
  }, [path]);
  if (rest === "bulk") return <BulkList />;
  if (rest.startsWith("bulk/")) {
    const id = rest.slice("bulk/".length);
    return <BulkPage key={id} id={id} />;
  }
  return <Groups />;
}
