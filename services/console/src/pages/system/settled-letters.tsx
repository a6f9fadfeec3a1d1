import { useDeadLetterActions } from "../../api/operations-queries.ts";
import type { DeadLetterAction } from "../../api/operations-types.ts";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { formatCount } from "../../parts/format.ts";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";
import { Time } from "../../parts/time.tsx";

const verbs = { replay: "replayed", discard: "discarded" } as const;

const columns: readonly TableColumn<DeadLetterAction>[] = [
  { id: "number", header: "Number", cell: ({ id }) => <code>{id}</code> },
  { id: "queue", header: "Queue", cell: ({ queue }) => <code title={queue}>{queue}</code> },
  { id: "action", header: "Action", cell: ({ action }) => verbs[action] },
  { id: "actor", header: "By", isText: true, cell: ({ actor }) => actor },
  { id: "reason", header: "Why", isText: true, cell: ({ reason }) => reason },
  { id: "at", header: "When", isNumber: true, cell: ({ at }) => <Time at={at} /> },
];

/** Which dead letters were replayed or discarded, by whom and why. */
export function SettledLetters() {
  const actions = useDeadLetterActions();
  return (
    <Shown query={actions}>
      {({ items }) =>
        items.length > 0 && (
          <Section title="Replayed and discarded" note={formatCount(items.length)}>
            <DataTable
              name="letter-actions"
              label="Replayed and discarded dead letters"
              rows={items}
              columns={columns}
              keyOf={({ id }) => id}
            />
          </Section>
        )
      }
    </Shown>
  );
}
