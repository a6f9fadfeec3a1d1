import { useEffect } from "react";
import { usePollInterval } from "../../api/queries.ts";
import type { useTaskList } from "./use-task-list.ts";

type List = Pick<ReturnType<typeof useTaskList>, "newIds" | "isBehind" | "refresh">;

/**
 * Shows new tasks at the top of a list that may move: as soon as the stream says that there are some, and by asking
 * every few seconds while there is no stream or an answer was lost.
 */
export function useKeepFresh(mayMove: boolean, { newIds, isBehind, refresh }: List): void {
  useEffect(() => {
    if (mayMove && isBehind) void refresh();
  }, [mayMove, isBehind, newIds, refresh]);
  const interval = usePollInterval({ evenIfLive: isBehind });
  useEffect(() => {
    if (!mayMove || interval === false) return undefined;
    const timer = setInterval(() => void refresh(), interval);
    return () => clearInterval(timer);
  }, [mayMove, interval, refresh]);
}
