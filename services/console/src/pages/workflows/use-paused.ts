import { usePauses } from "../../api/queries.ts";
import type { Pause } from "../../api/types.ts";

/** The pause that holds a workflow or an Agent now; null: none is known. */
export function usePaused(kind: Pause["kind"], name: string): Pause | null {
  const { data } = usePauses();
  return (
    data?.items.find((one) => one.kind === kind && one.name === name && one.resumedAt === null) ??
    null
  );
}
