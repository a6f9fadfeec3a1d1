import { useCallback, useEffect, useMemo, useState } from "react";
import { useAction } from "../../actions/action-provider.tsx";
import { wholeActs, wholeTaskAction } from "../../actions/task-actions.ts";
import { usePollInterval } from "../../api/queries.ts";
import type { ListedTask } from "../../api/types.ts";
import { navigate, usePlace } from "../../app/router.tsx";
import { taskPath } from "../../app/routes.ts";
import { useKeys } from "../../app/use-keys.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount } from "../../parts/format.ts";
import { Loading } from "../../parts/loading.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { readFilter, type TaskFilter, writeFilter } from "./filter.ts";
import { FilterBar } from "./filter-bar.tsx";
import { TaskRows } from "./task-rows.tsx";
import { useTaskCount, useTaskList } from "./use-task-list.ts";

/** All tasks: filtered by the URL, loaded as one scrolls, moved through by keys. */
export function TasksPage() {
  const { query } = usePlace();
  const filter = useMemo(() => readFilter(query), [query]);
  return (
    <section className="page page-full" aria-labelledby="tasks-title">
      <div className="page-head">
        <h1 id="tasks-title">Tasks</h1>
        <TaskCount filter={filter} />
      </div>
      <FilterBar filter={filter} />
      <TaskList key={writeFilter(filter)} filter={filter} />
    </section>
  );
}

function TaskCount({ filter }: { readonly filter: TaskFilter }) {
  const { data } = useTaskCount(filter);
  if (data === undefined) return null;
  return (
    <span className="muted numbers">
      {data.complete ? "" : "at least "}
      {formatCount(data.count)}
    </span>
  );
}

function TaskList({ filter }: { readonly filter: TaskFilter }) {
  const list = useTaskList(filter);
  const { items, newIds, refresh, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const [activeId, setActive] = useState<string | null>(null);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isAtTop, setAtTop] = useState(true);
  const onEnd = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [isFetchingNextPage, fetchNextPage]);
  const onToggle = useCallback(
    (id: string) =>
      setSelected((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [],
  );
  const clear = useCallback(() => setSelected(new Set()), []);
  // By its id: new tasks above it do not move the mark to another one.
  const active = useMemo(() => items.findIndex(({ id }) => id === activeId), [items, activeId]);
  useListKeys({ items, active, setActive, onToggle, clear });
  // A list that one reads or has selected from stands still; the bar says what is new.
  const mayMove = isAtTop && activeId === null && selected.size === 0;
  useKeepFresh(mayMove && !list.isFetching, list);
  if (list.data === undefined) {
    return list.error === null ? <Loading /> : <ProblemNote error={list.error} />;
  }
  if (items.length === 0 && !hasNextPage) {
    return writeFilter(filter) === "" ? (
      <FirstTask />
    ) : (
      <Empty title="No task matches">Remove a filter above.</Empty>
    );
  }
  return (
    <>
      {list.error !== null && <ProblemNote error={list.error} />}
      {!mayMove && newIds.size > 0 && (
        <button type="button" className="news" onClick={() => void refresh()}>
          {formatCount(newIds.size)} new: show
        </button>
      )}
      <TaskRows
        items={items}
        hasMore={hasNextPage}
        active={active}
        selected={selected}
        onActive={setActive}
        onToggle={onToggle}
        onEnd={onEnd}
        onTop={setAtTop}
      />
      <SelectionBar tasks={items.filter(({ id }) => selected.has(id))} onClear={clear} />
    </>
  );
}

/** What can be done to the tasks that are selected. */
function SelectionBar({
  tasks,
  onClear,
}: {
  readonly tasks: readonly ListedTask[];
  readonly onClear: () => void;
}) {
  const begin = useAction();
  if (tasks.length === 0) {
    return (
      <p className="keys-hint" aria-hidden="true">
        <kbd>j</kbd> <kbd>k</kbd> move · <kbd>Enter</kbd> open · <kbd>x</kbd> select · <kbd>/</kbd>{" "}
        find
      </p>
    );
  }
  return (
    <div className="selection" role="toolbar" aria-label="Selected tasks">
      <strong>{formatCount(tasks.length)} selected</strong>
      {wholeActs.map((act) => {
        const action = wholeTaskAction(act, tasks);
        return (
          <button
            key={act}
            type="button"
            className={action.isDangerous ? "button button-danger" : "button"}
            onClick={() => begin(action)}
          >
            {action.verb} …
          </button>
        );
      })}
      <button type="button" className="link-button" onClick={onClear}>
        Clear
      </button>
    </div>
  );
}

/** Shown while the service has no task: the commands that make one. */
function FirstTask() {
  const line = `curl ${location.origin}/v1/tasks -H 'content-type: application/json' -d '{"workflow": "…", "input": {}}'`;
  return (
    <Empty title="There is no task yet">
      <p>Submit one: it appears here.</p>
      <CommandLine name="curl" line={line} />
      <CommandLine name="holdfast" line="holdfast tasks submit <workflow> --input '{}'" />
    </Empty>
  );
}

type List = Pick<ReturnType<typeof useTaskList>, "newIds" | "isBehind" | "refresh">;

/**
 * Shows new tasks at the top of a list that may move: as soon as the stream says that there are
 * some, and by asking every few seconds while there is no stream or an answer was lost.
 */
function useKeepFresh(mayMove: boolean, { newIds, isBehind, refresh }: List): void {
  useEffect(() => {
    if (mayMove && isBehind) void refresh();
  }, [mayMove, isBehind, newIds, refresh]);
  const interval = usePollInterval({ evenIfLive: isBehind });
  useEffect(() => {
    if (!mayMove || interval === false) return undefined;
    const timer = setInterval(() => void refresh(), interval);
    return () => clearInterval(timer);
  }, [mayMove, interval, refresh]);
}

interface ListKeys {
  readonly items: readonly ListedTask[];
  readonly active: number;
  readonly setActive: (id: string | null) => void;
  readonly onToggle: (id: string) => void;
  readonly clear: () => void;
}

/** Moves through the list, opens and selects by keys. */
function useListKeys({ items, active, setActive, onToggle, clear }: ListKeys): void {
  const keys = useMemo(() => {
    const move = (by: number) => () => {
      const next = items[Math.max(0, Math.min(items.length - 1, active + by))];
      if (next !== undefined) setActive(next.id);
    };
    const task = items[active];
    return {
      j: move(1),
      k: move(-1),
      ...(task === undefined
        ? {}
        : { Enter: () => navigate(taskPath(task.id)), x: () => onToggle(task.id) }),
      Escape: () => {
        setActive(null);
        clear();
      },
    };
  }, [items, active, setActive, onToggle, clear]);
  useKeys(keys);
}
