import type { ClientEvent } from "@holdfast/load";
import type { FaultEvent, Observation, Sample, StatusMessage } from "./checker/evidence.ts";

export type Notebook = ReturnType<typeof openNotebook>;

const recentOrders = 30;

/** What is written down while the run lasts. */
export function openNotebook() {
  const history: ClientEvent[] = [];
  const recent: string[] = [];
  return {
    history,
    recent,
    faults: [] as FaultEvent[],
    poison: [] as string[],
    observations: [] as Observation[],
    statuses: [] as StatusMessage[],
    statusQueueSeen: [] as number[],
    samples: [] as Sample[],
    client: (event: ClientEvent): void => {
      history.push(event);
      if (event.type !== "ok" || event.taskId === null) return;
      recent.push(event.taskId);
      if (recent.length > recentOrders) recent.shift();
    },
  };
}
