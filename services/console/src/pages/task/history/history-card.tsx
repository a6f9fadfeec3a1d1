import { saidBy } from "@holdfast/domain/source";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import type { HistoryEntry } from "../../../api/types.ts";
import { setQuery, usePlace } from "../../../app/router.tsx";
import { Chip } from "../../../parts/chip.tsx";
import { clockTime, exactTime, formatCount } from "../../../parts/format.ts";
import { Icon } from "../../../parts/icon.tsx";
import { stepStyles, styleOf, taskStyles } from "../../../parts/state-styles.ts";
import {
  type Actor,
  actorOf,
  filterHistory,
  filterWords,
  historyFilters,
  readHistoryFilter,
} from "./history-filter.ts";

interface Props {
  readonly items: readonly HistoryEntry[];
}

const rowHeight = 30;

/** Who did what, newest first. */
export function HistoryCard({ items }: Props) {
  const filter = readHistoryFilter(usePlace().query.get("history"));
  const shown = useMemo(() => filterHistory(items, filter), [items, filter]);
  return (
    <section className="card" aria-labelledby="history-title">
      <header className="card-head">
        <h2 id="history-title">History</h2>
        <span className="muted numbers">{formatCount(shown.length)}</span>
        <div className="chips end" role="group" aria-label="Show of the history">
          {historyFilters.map((one) => (
            <Chip
              key={one}
              isOn={one === filter}
              onToggle={() => setQuery({ history: one === "all" ? null : one }, { replace: true })}
            >
              {filterWords[one]}
            </Chip>
          ))}
        </div>
      </header>
      {shown.length === 0 ? (
        <p className="card-none">No entry is of this kind.</p>
      ) : (
        <Entries items={shown} />
      )}
    </section>
  );
}

function Entries({ items }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  return (
    <div
      ref={scroller}
      className="history"
      tabIndex={0}
      role="list"
      aria-label="History, newest first"
    >
      <div className="rows-all" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const entry = items[index];
          if (entry === undefined) return null;
          const style = { transform: `translateY(${start}px)`, height: rowHeight };
          return (
            <div
              key={entry.id}
              className="history-row"
              role="listitem"
              aria-setsize={items.length}
              aria-posinset={index + 1}
              style={style}
            >
              <Entry entry={entry} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

const actorWords: Readonly<Record<Actor, string>> = {
  person: "person",
  scheduler: "Scheduler",
  supervisor: "Supervisor",
  submission: "submission",
  other: "",
};

function Entry({ entry }: { readonly entry: HistoryEntry }) {
  const { at, step, action, toState, attempt, actor, reason, source, note } = entry;
  const who = actorOf(entry);
  const style = styleOf(step === null ? taskStyles : stepStyles, toState);
  const why = [reason, saidBy(source), note].filter(Boolean).join(" · ");
  return (
    <>
      <time dateTime={at} title={exactTime(at)} className="muted">
        {clockTime(at)}
      </time>
      <Icon name={style.icon} className={`tone-${style.tone}`} />
      <span className="history-what">
        <strong>{step ?? "task"}</strong> {actionWords[action] ?? action}
        {attempt !== null && attempt > 1 && <span className="muted"> · attempt {attempt}</span>}
        <span className="muted"> → {style.word.toLowerCase()}</span>
      </span>
      <span className="history-why" title={why}>
        {why}
      </span>
      <span className={`history-who who-${who}`} title={`${actor} (${actorWords[who]})`}>
        {actor}
      </span>
    </>
  );
}

const actionWords: Readonly<Record<string, string>> = {
  submit: "was submitted",
  admit: "was admitted",
  plan: "became due",
  hold: "was held",
  skip: "was skipped",
  cancel: "was cancelled",
  claim: "was claimed",
  complete: "was done",
  retry: "failed and is retried",
  coolDown: "failed and is delayed",
  requeue: "was requeued",
  retryNow: "was made due at once",
  fail: "failed for good",
  resubmit: "was resubmitted",
  resolve: "was resolved by hand",
  open: "began to wait",
  fire: "ended its wait",
  lapse: "waited in vain",
  summarise: "changed",
  undo: "is to be undone",
  pause: "was paused",
  resume: "was resumed",
};
