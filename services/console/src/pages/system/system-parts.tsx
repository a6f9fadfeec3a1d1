import { useSystem } from "../../api/operations-queries.ts";
import type { SystemView } from "../../api/operations-types.ts";
import { Facts } from "../../parts/facts.tsx";
import { formatCount, formatDuration } from "../../parts/format.ts";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";
import { Time } from "../../parts/time.tsx";
import { PartitionTable } from "./partition-table.tsx";
import { ProcessTable } from "./process-table.tsx";
import { QueueTable } from "./queue-table.tsx";

/** Processes, outbox, queues and the months of the state store. */
export function SystemParts() {
  const system = useSystem();
  return (
    <Shown query={system}>
      {(data) => (
        <>
          <ProcessTable system={data} />
          <Outbox system={data} />
          <QueueTable queues={data.queues} note={data.queuesNote} />
          <PartitionTable partitions={data.partitions} />
        </>
      )}
    </Shown>
  );
}

function Outbox({ system: { outbox, version, at } }: { readonly system: SystemView }) {
  const { waiting, oldestMs } = outbox;
  return (
    <Section title="Outbox" note="notifications that the broker has not confirmed yet">
      <div className="section-body">
        <Facts
          facts={[
            ["Waiting", formatCount(waiting)],
            ["Oldest", oldestMs === null ? "none waits" : formatDuration(oldestMs)],
            ["Release", version],
            ["Looked at", <Time at={at} />],
          ]}
        />
      </div>
    </Section>
  );
}
