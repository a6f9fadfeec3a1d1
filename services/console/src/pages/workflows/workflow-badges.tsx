import { Badge } from "../../parts/badge.tsx";
import { usePaused } from "./use-paused.ts";

interface Props {
  readonly name: string;
  readonly retired: { readonly by: string; readonly reason: string } | null;
  readonly active: { readonly by: string; readonly reason: string } | null;
  readonly awaitsAgents: boolean;
}

/** Whether a workflow takes tasks, and whether its steps are claimed. */
export function WorkflowBadges({ name, retired, active, awaitsAgents }: Props) {
  const paused = usePaused("workflow", name);
  return (
    <span className="badges">
      {retired === null ? (
        <Badge style={{ word: "Takes tasks", tone: "good", icon: "done" }} />
      ) : (
        <Badge
          style={{ word: "Retired", tone: "quiet", icon: "stop" }}
          title={`${retired.by}: ${retired.reason}`}
        />
      )}
      {active !== null && (
        <Badge
          style={{ word: "Active", tone: "good", icon: "done" }}
          title={`${active.by}: ${active.reason}`}
        />
      )}
      {awaitsAgents && <Badge style={{ word: "Awaits its Agents", tone: "warn", icon: "wait" }} />}
      {paused !== null && (
        <Badge
          style={{ word: "Paused", tone: "warn", icon: "pause" }}
          title={`${paused.actor}: ${paused.reason ?? ""}`}
        />
      )}
    </span>
  );
}
