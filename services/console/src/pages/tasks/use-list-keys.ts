import { useMemo } from "react";
import type { ListedTask } from "../../api/types.ts";
import { navigate } from "../../app/router.tsx";
import { taskPath } from "../../app/routes.ts";
import { useKeys } from "../../app/use-keys.ts";

interface ListKeys {
  readonly items: readonly ListedTask[];
  readonly active: number;
  readonly setActive: (id: string | null) => void;
  readonly onToggle: (id: string) => void;
  readonly clear: () => void;
}

/** Moves through the list, opens and selects by keys. */
export function useListKeys({ items, active, setActive, onToggle, clear }: ListKeys): void {
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
