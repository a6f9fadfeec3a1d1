import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, useEffect, useRef } from "react";
import type { ListedTask } from "../../api/types.ts";
import { Link } from "../../app/router.tsx";
import { taskPath } from "../../app/routes.ts";
import { Badge } from "../../parts/badge.tsx";
import { shortId } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { styleOf, taskStyles } from "../../parts/state-styles.ts";
import { Time } from "../../parts/time.tsx";

const rowHeight = 36;
/** Rows before the end of what is loaded at which the next page is asked for. */
const ahead = 60;

interface TaskRowsProps {
  readonly items: readonly ListedTask[];
  readonly hasMore: boolean;
  /** Its index; -1: there is none. */
  readonly active: number;
  readonly selected: ReadonlySet<string>;
  readonly onActive: (id: string) => void;
  readonly onToggle: (id: string) => void;
  /** Asks for the next page. */
  readonly onEnd: () => void;
  /** Whether the first row is in sight. */
  readonly onTop: (isAtTop: boolean) => void;
}

/** The list. Only the rows in sight are in the page, so a hundred thousand are as quick as ten. */
export function TaskRows(props: TaskRowsProps) {
  const { items, hasMore, active, selected, onActive, onToggle, onEnd, onTop } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: items.length + (hasMore ? 1 : 0),
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    // The head stands above the rows, and stays in sight.
    scrollMargin: rowHeight,
    scrollPaddingStart: rowHeight,
  });
  const inSight = virtual.getVirtualItems();
  const last = inSight.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= items.length - ahead) onEnd();
  }, [hasMore, last, items.length, onEnd]);
  const isAtTop = (virtual.scrollOffset ?? 0) < rowHeight;
  useEffect(() => onTop(isAtTop), [isAtTop, onTop]);
  useEffect(() => {
    if (active >= 0) virtual.scrollToIndex(active);
  }, [active, virtual]);
  return (
    <div className="rows">
      <div
        ref={scroller}
        className="rows-scroll"
        tabIndex={0}
        role="table"
        aria-label="Tasks"
        aria-rowcount={hasMore ? -1 : items.length + 1}
      >
        <Head />
        <div className="rows-all" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
          {inSight.map(({ index, start }) => {
            const task = items[index];
            const style = { transform: `translateY(${start - rowHeight}px)` };
            return (
              <div key={task?.id ?? "end"} className="row-place" style={style}>
                {task === undefined ? (
                  <p className="loading">Loading …</p>
                ) : (
                  <TaskRow
                    task={task}
                    index={index}
                    isActive={index === active}
                    isSelected={selected.has(task.id)}
                    onActive={onActive}
                    onToggle={onToggle}
                  />
                )}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function Head() {
  return (
    <div className="row row-head" role="row" aria-rowindex={1}>
      <div role="columnheader" className="cell-select">
        <span className="visually-hidden">Selected</span>
      </div>
      {columns.map(({ id, header }) => (
        <div key={id} role="columnheader" className={`cell-${id}`}>
          {header}
        </div>
      ))}
    </div>
  );
}

interface TaskRowProps {
  readonly task: ListedTask;
  readonly index: number;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly onActive: (id: string) => void;
  readonly onToggle: (id: string) => void;
}

/** One task of the list. Drawn again only when it has changed. */
const TaskRow = memo(function TaskRow(props: TaskRowProps) {
  const { task, index, isActive, isSelected, onActive, onToggle } = props;
  return (
    <div
      className="row"
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-active={isActive || undefined}
      onPointerDown={() => onActive(task.id)}
    >
      <div role="cell" className="cell-select">
        <input
          type="checkbox"
          checked={isSelected}
          aria-label={`Select task ${task.id}`}
          onChange={() => onToggle(task.id)}
        />
      </div>
      {columns.map(({ id, cell }) => (
        <div key={id} role="cell" className={`cell-${id}`}>
          {cell(task)}
        </div>
      ))}
    </div>
  );
});

interface Column {
  readonly id: string;
  readonly header: string;
  readonly cell: (task: ListedTask) => ReactNode;
}

const text = (value: string | null): ReactNode =>
  value === null || value === "" ? (
    <span className="muted">–</span>
  ) : (
    <span title={value}>{value}</span>
  );

/**
 * What the list says of each task. Plain: a table model of a hundred thousand rows would be made
 * anew each second.
 */
const columns: readonly Column[] = [
  {
    id: "id",
    header: "Task",
    cell: ({ id }) => (
      <Link to={taskPath(id)} className="mono" title={id}>
        {shortId(id)}
      </Link>
    ),
  },
  { id: "workflow", header: "Workflow", cell: ({ workflow }) => text(workflow) },
  {
    id: "state",
    header: "State",
    cell: ({ state, paused }) => (
      <>
        <Badge style={styleOf(taskStyles, state)} />
        {paused && <Icon name="pause" className="tone-warn" />}
      </>
    ),
  },
  { id: "key", header: "Key", cell: ({ key }) => text(key) },
  {
    id: "faultCode",
    header: "Fault code",
    cell: ({ faultCode }) => <code>{text(faultCode)}</code>,
  },
  {
    id: "correlationId",
    header: "Correlation id",
    cell: ({ correlationId }) => text(correlationId),
  },
  {
    id: "updatedAt",
    header: "Moved",
    cell: ({ updatedAt }) => <Time at={updatedAt} form="age" />,
  },
  {
    id: "createdAt",
    header: "Age",
    cell: ({ createdAt }) => <Time at={createdAt} form="age" />,
  },
];
