import { useOverview } from "../api/queries.ts";
import { formatCount } from "../parts/format.ts";

/** How many tasks are halted now, beside the tab that shows them. */
export function FailureCount() {
  const { data } = useOverview();
  const count = data?.states.error ?? 0;
  if (count === 0) return null;
  return (
    <span className="tab-count" title={`${formatCount(count)} tasks are halted`}>
      {formatCount(count)}
    </span>
  );
}
