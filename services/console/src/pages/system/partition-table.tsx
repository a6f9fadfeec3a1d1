import type { PartitionSeen } from "../../api/operations-types.ts";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { exactTime, formatBytes, formatCount } from "../../parts/format.ts";
import { Section } from "../../parts/section.tsx";

const day = (at: string) => (
  <time dateTime={at} title={exactTime(at)}>
    {at.slice(0, 10)}
  </time>
);

const columns: readonly TableColumn<PartitionSeen>[] = [
  { id: "partition", header: "Partition", cell: ({ name }) => <code title={name}>{name}</code> },
  { id: "from", header: "From", cell: ({ from }) => day(from) },
  { id: "until", header: "Until", cell: ({ until }) => day(until) },
  { id: "rows", header: "Rows", isNumber: true, cell: ({ rows }) => `≈ ${formatCount(rows)}` },
  { id: "bytes", header: "Size", isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
];

/** The months of the state store. */
export function PartitionTable({ partitions }: { readonly partitions: readonly PartitionSeen[] }) {
  return (
    <Section title="Partitions" note={formatCount(partitions.length)}>
      <DataTable
        name="partitions"
        label="Partitions"
        rows={partitions}
        columns={columns}
        keyOf={({ name }) => name}
      />
    </Section>
  );
}
