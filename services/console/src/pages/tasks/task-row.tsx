import { memo } from "react";
import type { ListedTask } from "../../api/types.ts";
import { columns } from "./columns.tsx";

interface TaskRowProps {
  readonly task: ListedTask;
  readonly index: number;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly onActive: (id: string) => void;
  readonly onToggle: (id: string) => void;
}

/** One task of the list. Drawn again only when it has changed. */
export const TaskRow = memo(function TaskRow(props: TaskRowProps) {
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
