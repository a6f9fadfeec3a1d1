import type { BulkAction } from "@holdfast/domain";
import { useId, useState } from "react";
import type { FailureGroup } from "../../api/operations-types.ts";
import { Link, setQuery, usePlace } from "../../app/router.tsx";
import { taskPath, workflowPath } from "../../app/routes.ts";
import { BulkDialog } from "../../bulk/bulk-dialog.tsx";
import { tasksQuery } from "../../bulk/bulk-wish.ts";
import { Facts } from "../../parts/facts.tsx";
import { formatCount, shortId } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { bulkVerb } from "../../parts/operation-looks.ts";
import { Time } from "../../parts/time.tsx";

/** One group: a line, and below it, once opened, what can be done. The URL says which is open. */
export function Group({ group }: { readonly group: FailureGroup }) {
  const { query } = usePlace();
  const id = useId();
  const { fingerprint, workflow, step, faultCode, message, count, open, lastAt } = group;
  const isShown = query.get("group") === fingerprint;
  return (
    <li className="group card">
      <button
        type="button"
        className="group-head"
        aria-expanded={isShown}
        aria-controls={id}
        onClick={() => setQuery({ group: isShown ? null : fingerprint }, { replace: true })}
      >
        <Icon name={isShown ? "down" : "right"} />
        <span className={`group-count ${open > 0 ? "tone-bad" : "tone-quiet"}`}>
          <strong>{formatCount(open)}</strong> halted
        </span>
        <span className="group-words">
          <span className="group-where">
            {workflow} · {step ?? "no step"} · <code>{faultCode}</code>
          </span>
          <span className="group-message" title={message}>
            {message}
          </span>
        </span>
        <span className="group-total muted">{formatCount(count)} in all</span>
        <span className="group-last muted">
          <Time at={lastAt} />
        </span>
      </button>
      {isShown && <Opened group={group} id={id} />}
    </li>
  );
}

function Opened({ group, id }: { readonly group: FailureGroup; readonly id: string }) {
  const { workflow, step, message, firstAt, lastAt, sample, count, open } = group;
  return (
    <div id={id} className="group-body">
      <p className="group-whole">{message}</p>
      <Facts
        facts={[
          ["Workflow", <Link to={workflowPath(workflow)}>{workflow}</Link>],
          ["Step", step ?? "–"],
          ["First", <Time at={firstAt} />],
          ["Last", <Time at={lastAt} />],
          [
            "Such as",
            sample.map((one) => (
              <Link key={one} to={taskPath(one)} className="mono sample" title={one}>
                {shortId(one)}
              </Link>
            )),
          ],
          ["Tasks", <GroupTasks group={group} words={`all ${formatCount(count)}`} />],
        ]}
      />
      <GroupActions group={group} />
      {open === 0 && (
        <p className="hint">None of them is halted now: there is nothing to repair.</p>
      )}
    </div>
  );
}

function GroupTasks({ group, words }: { readonly group: FailureGroup; readonly words: string }) {
  const query = tasksQuery(group.filter);
  return query === null ? <>{words}</> : <Link to={`/tasks${query}`}>{words}</Link>;
}

const acts = ["resubmit", "undo", "resolve"] as const satisfies readonly BulkAction[];

function GroupActions({
  group: { filter, step, workflow, faultCode, open },
}: {
  readonly group: FailureGroup;
}) {
  const [action, setAction] = useState<BulkAction | null>(null);
  return (
    <div className="buttons" role="toolbar" aria-label="Repair the halted tasks of this group">
      {acts.map((act) => (
        <button
          key={act}
          type="button"
          className={act === "resubmit" ? "button" : "button button-danger"}
          disabled={open === 0}
          onClick={() => setAction(act)}
        >
          {bulkVerb(act)} {formatCount(open)} …
        </button>
      ))}
      {action !== null && (
        <BulkDialog
          target={{ action, step, filter: { ...filter, state: "error" } }}
          what={[workflow, step, faultCode].filter((word) => word !== null).join(" · ")}
          onClose={() => setAction(null)}
        />
      )}
    </div>
  );
}
