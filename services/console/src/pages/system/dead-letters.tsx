import { useDeadLetterActions, useDeadLetters } from "../../api/operations-queries.ts";
import type { DeadLetterAction } from "../../api/operations-types.ts";
import { setQuery, usePlace } from "../../app/router.tsx";
import { FilterChip } from "../../parts/chip.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount } from "../../parts/format.ts";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";
import { Time } from "../../parts/time.tsx";
import { DeadLetterCard } from "./dead-letter-card.tsx";

/** Messages that no one could use: what is in them, and what can be done. */
export function DeadLetters() {
  const { query } = usePlace();
  const queue = (query.get("queue") ?? "").slice(0, 255);
  const list = useDeadLetters(queue);
  return (
    <>
      {queue !== "" && (
        <div className="chips">
          <FilterChip name="queue" value={queue} onRemove={() => setQuery({ queue: null })} />
        </div>
      )}
      <Shown query={list}>
        {({ pages }) => {
          const letters = pages.flatMap(({ items }) => items);
          if (letters.length === 0) return <NoLetter />;
          return (
            <ul className="letters">
              {letters.map((letter) => (
                <DeadLetterCard key={letter.id} letter={letter} />
              ))}
            </ul>
          );
        }}
      </Shown>
      {list.hasNextPage && (
        <button type="button" className="button more" onClick={() => void list.fetchNextPage()}>
          More
        </button>
      )}
      <SettledLetters />
    </>
  );
}

function NoLetter() {
  return (
    <Empty title="There is no dead letter">
      <p>A message that a service cannot read, or that a queue gives up on, appears here.</p>
      <CommandLine name="holdfast" line="holdfast doctor" />
    </Empty>
  );
}

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
function SettledLetters() {
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
