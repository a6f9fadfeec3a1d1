import { useDeadLetters } from "../../api/operations-queries.ts";
import { setQuery, usePlace } from "../../app/router.tsx";
import { FilterChip } from "../../parts/chip.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Shown } from "../../parts/shown.tsx";
import { DeadLetterCard } from "./dead-letter-card.tsx";
import { SettledLetters } from "./settled-letters.tsx";

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
