import { useEffect } from "react";
import { usePollInterval } from "../../api/queries.ts";
import type { useTaskList } from "./use-task-list.ts";

type List = Pick<ReturnType<typeof useTaskList>, "newIds" | "refresh">;

/** Shows new tasks at the top of a list that may move: as the stream names them, or by asking now and then. */
export function useKeepFresh(mayMove: boolean, { newIds, refresh }: List): void {
  useEffect(() => {
    if (mayMove && newIds.size > 0) void refresh();
  }, [mayMove, newIds, refresh]);
  const interval = usePollInterval();
  useEffect(() => {
    if (!mayMove || interval === false) return undefined;
    const timer = setInterval(() => void refresh(), interval);
    return () => clearInterval(timer);
  }, [mayMove, interval, refresh]);
}
