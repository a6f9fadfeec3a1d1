import { useMemo } from "react";
import { usePlace } from "../../app/router.tsx";
import { readRoute } from "../../app/routes.ts";
import { ScheduleList } from "./schedule-list.tsx";
import { SchedulePage } from "./schedule-page.tsx";

/** The stored schedules, or one of them. */
export function SchedulesPage() {
  const { path } = usePlace();
  const id = useMemo(() => {
    const route = readRoute(path);
    return route.page === "schedules" ? route.rest : "";
  }, [path]);
  return id === "" ? <ScheduleList /> : <SchedulePage key={id} id={id} />;
}
