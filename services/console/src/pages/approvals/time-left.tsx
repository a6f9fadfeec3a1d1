import { useNow } from "../../api/console-context.ts";
import type { OpenApproval } from "../../api/types.ts";
import { exactTime, formatDuration } from "../../parts/format.ts";

/** Milliseconds before its end from which on an approval is shown as urgent. */
const urgent = 3_600_000;

interface Props {
  readonly approval: Pick<OpenApproval, "deadline" | "paused">;
}

/** How long people have yet to decide. */
export function TimeLeft({ approval: { deadline, paused: isPaused } }: Props) {
  const now = useNow();
  if (deadline === null) return <span className="muted">without an end</span>;
  const left = Date.parse(deadline) - now;
  const whole = Math.round(left / 1_000) * 1_000;
  return (
    <time
      dateTime={deadline}
      title={isPaused ? `The task is paused: ${exactTime(deadline)} moves on` : exactTime(deadline)}
      className={left < urgent && !isPaused ? "left left-urgent" : "left"}
    >
      {isPaused ? "paused: its time stands still" : leftWords(whole)}
    </time>
  );
}

const leftWords = (left: number): string =>
  left <= 0 ? "its time is over" : `${formatDuration(left)} left`;
