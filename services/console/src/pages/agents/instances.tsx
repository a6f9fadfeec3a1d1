import type { Agent } from "../../api/types.ts";
import { Badge } from "../../parts/badge.tsx";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { Section } from "../../parts/section.tsx";
import { breakerLooks, lookOf } from "../../parts/state-looks.ts";
import { Time } from "../../parts/time.tsx";
import { SlotBar } from "./slot-bar.tsx";

type Instance = Agent["instances"][number];

const columns: readonly TableColumn<Instance>[] = [
  {
    id: "instance",
    header: "Instance",
    cell: ({ name }) => <code title={name}>{name}</code>,
  },
  {
    id: "life",
    header: "State",
    cell: ({ living }) => (
      <Badge
        look={
          living
            ? { word: "Lives", tone: "good", icon: "done" }
            : { word: "Silent", tone: "quiet", icon: "cross" }
        }
      />
    ),
  },
  {
    id: "slots",
    header: "In flight / slots",
    cell: ({ inFlight, slots }) => <SlotBar used={inFlight} all={slots} />,
  },
  {
    id: "breaker",
    header: "Breaker",
    cell: ({ breaker, openUntil }) => (
      <span className="badges">
        <Badge look={lookOf(breakerLooks, breaker)} />
        {openUntil !== null && <Time at={openUntil} />}
      </span>
    ),
  },
  { id: "seen", header: "Seen", isNumber: true, cell: ({ lastSeen }) => <Time at={lastSeen} /> },
];

/** The processes of one Agent. */
export function Instances({ agent }: { readonly agent: Agent }) {
  const living = agent.instances.toSorted(
    (one, other) => Number(other.living) - Number(one.living),
  );
  return (
    <Section title="Instances" note={`${agent.living} of ${agent.instances.length} live`}>
      <DataTable
        name="instances"
        label={`Instances of ${agent.name}`}
        rows={living}
        columns={columns}
        keyOf={({ name }) => name}
      />
    </Section>
  );
}
