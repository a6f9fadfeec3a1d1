import { useSystem } from "../../api/operations-queries.ts";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";

interface Setting {
  readonly name: string;
  readonly value: unknown;
}

const columns: readonly TableColumn<Setting>[] = [
  { id: "setting", header: "Variable", isText: true, cell: ({ name }) => <code>{name}</code> },
  { id: "value", header: "Value", isText: true, cell: ({ value }) => valueOf(value) },
];

function valueOf(value: unknown) {
  if (value === null || value === undefined || value === "")
    return <span className="muted">–</span>;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text === "(secret)" ? <span className="muted">{text}</span> : <code>{text}</code>;
}

/** The settings of the process that answers. The service leaves secrets out: they never get here. */
export function Configuration() {
  const system = useSystem();
  return (
    <Shown query={system}>
      {({ configuration, version }) => (
        <Section title="Configuration" note={`of the process that answers, release ${version}`}>
          <DataTable
            name="configuration"
            label="Configuration"
            rows={Object.entries(configuration)
              .map(([name, value]) => ({ name, value }))
              .toSorted((one, other) => one.name.localeCompare(other.name, "en"))}
            columns={columns}
            keyOf={({ name }) => name}
          />
        </Section>
      )}
    </Shown>
  );
}
