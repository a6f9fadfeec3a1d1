import { heartbeatQueue, wakeQueue } from "@holdfast/contracts";
import { askBroker } from "@holdfast/local-stack";
import { topologyOf } from "@holdfast/messaging";
import { agents } from "../inputs/hostile-message.ts";

/** Heartbeats come all the time, and a hint to wake is worth nothing. */
const ignored: ReadonlySet<string> = new Set([heartbeatQueue, wakeQueue]);

const queues = topologyOf(agents)
  .queues.map(({ name }) => name)
  .filter((name) => !ignored.has(name));

/** The queues in which messages wait. What consumers hold counts only once they are gone. */
export function fullQueues(brokerUrl: string): Promise<readonly string[]> {
  return askBroker(brokerUrl, async (channel) => {
    const full: string[] = [];
    for (const queue of queues) {
      const { messageCount } = await channel.checkQueue(queue);
      if (messageCount > 0) full.push(`${queue}: ${messageCount}`);
    }
    return full;
  });
}
