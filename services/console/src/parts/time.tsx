import { useNow } from "../api/console-context.ts";
import { exactTime, formatAge, relativeTime } from "./format.ts";

interface TimeProps {
  readonly at: string | null;
  /** `age`: as short as a column needs. */
  readonly form?: "relative" | "age";
}

/** An instant as people say it, with the exact one when pointed at. */
export function Time({ at, form = "relative" }: TimeProps) {
  const now = useNow();
  if (at === null) return <span className="muted">–</span>;
  return (
    <time dateTime={at} title={exactTime(at)}>
      {form === "age" ? formatAge(now - Date.parse(at)) : relativeTime(at, now)}
    </time>
  );
}
