import { OfferButton } from "../../actions/action-provider.tsx";
import { offersOf } from "../../actions/task-actions.ts";
import type { Task } from "../../api/types.ts";
import { Link, usePlace } from "../../app/router.tsx";
import { workflowPath } from "../../app/routes.ts";
import { Badge } from "../../parts/badge.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { shortId } from "../../parts/format.ts";
import { lookOf, taskLooks } from "../../parts/state-looks.ts";
import { Time } from "../../parts/time.tsx";

/** Which task it is, how it stands, and what can be done to it. */
export function TaskHead({ task }: { readonly task: Task }) {
  const selected = usePlace().query.get("step");
  const { id, key, state, paused, workflow, version, updatedAt } = task;
  return (
    <header className="task-head">
      <div className="task-title">
        <h1 title={id}>{key ?? <span className="mono">{shortId(id)}</span>}</h1>
        <CopyButton text={id} label="Copy the id" />
        <Badge look={lookOf(taskLooks, state)} />
        {paused !== null && (
          <Badge
            look={{ word: "Paused", tone: "warn", icon: "pause" }}
            title={`${paused.by}: ${paused.reason}`}
          />
        )}
        <span className="muted">
          <Link to={workflowPath(workflow)}>{workflow}</Link> · v{version} · moved{" "}
          <Time at={updatedAt} />
        </span>
      </div>
      <div className="buttons" role="toolbar" aria-label="Actions">
        {offersOf(task, selected).map((offer, place) => (
          // Each has its place: Resume stands where Pause stood, and keeps the focus.
          <OfferButton key={place} offer={offer} />
        ))}
      </div>
    </header>
  );
}
