import { ActionButton } from "../../actions/action-provider.tsx";
import { deadLetterAction } from "../../actions/operation-actions.ts";
import { useDeadLetterActions, useDeadLetters } from "../../api/operations-queries.ts";
import type { DeadLetter, DeadLetterAction } from "../../api/operations-types.ts";
import { setQuery, usePlace } from "../../app/router.tsx";
import { FilterChip } from "../../parts/chip.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Facts } from "../../parts/facts.tsx";
import { formatBytes, formatCount } from "../../parts/format.ts";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";
import { Time } from "../../parts/time.tsx";

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
          const deadLetters = pages.flatMap(({ items }) => items);
          if (deadLetters.length === 0) return <NoLetter />;
          return (
            <ul className="letters">
              {deadLetters.map((deadLetter) => (
                <DeadLetterCard key={deadLetter.id} deadLetter={deadLetter} />
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

/** One dead letter. Its body is text, whatever it holds. */
function DeadLetterCard({ deadLetter }: { readonly deadLetter: DeadLetter }) {
  const { queue, reason, detail, messageId, type, sender, size, at, body, replayable } = deadLetter;
  const { id, whyNot } = deadLetter;
  return (
    <li className="card letter">
      <header className="card-head">
        <h2 className="cut" title={reason}>
          {reason}
        </h2>
        <span className="muted">
          <Time at={at} />
        </span>
        <span className="end buttons">
          {replayable && <ActionButton action={deadLetterAction("replay", deadLetter)} />}
          <ActionButton action={deadLetterAction("discard", deadLetter)} />
        </span>
      </header>
      <div className="section-body">
        {detail !== null && <p className="long">{detail}</p>}
        <Facts
          facts={[
            [
              "Queue",
              <button type="button" className="link-button" onClick={() => setQuery({ queue })}>
                <code>{queue}</code>
              </button>,
            ],
            ["Type", type ?? "–"],
            ["Sender", sender ?? "–"],
            ["Message id", messageId === null ? "–" : <code>{messageId}</code>],
            ["Size", formatBytes(size)],
            ["Number", <code>{id}</code>],
            ...(whyNot === null ? [] : [["Replay", `not possible. ${whyNot}`] as const]),
          ]}
        />
        {body === null ? (
          <p className="muted">Its body is no text.</p>
        ) : (
          <div className="json">
            <pre tabIndex={0} aria-label="the body">
              {body}
            </pre>
            <div className="json-tools">
              <CopyButton text={body} label="Copy the body" />
            </div>
          </div>
        )}
      </div>
    </li>
  );
}
