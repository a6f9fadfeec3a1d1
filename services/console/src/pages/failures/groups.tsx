import type { BulkAction } from "@holdfast/domain";
import { useId, useMemo, useState } from "react";
import { useConsole } from "../../api/console-context.ts";
import { useFailures } from "../../api/operations-queries.ts";
import type { FailureGroup, Failures } from "../../api/operations-types.ts";
import { Link, setQuery, usePlace } from "../../app/router.tsx";
import { taskPath, workflowPath } from "../../app/routes.ts";
import { useKeys } from "../../app/use-keys.ts";
import { BulkDialog } from "../../bulk/bulk-dialog.tsx";
import { tasksQuery } from "../../bulk/bulk-form.ts";
import { Chip, FilterChip } from "../../parts/chip.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Facts } from "../../parts/facts.tsx";
import { formatCount, shortId } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { bulkVerb } from "../../parts/operation-styles.ts";
import { Shown } from "../../parts/shown.tsx";
import { Time } from "../../parts/time.tsx";
import {
  createdFrom,
  type FailuresFilter,
  readFailuresFilter,
  spans,
} from "./read-failures-filter.ts";

/** Failures by fingerprint: workflow, step, fault code and the message without its numbers. */
export function Groups() {
  const { query } = usePlace();
  const { ticker } = useConsole();
  const filter = useMemo(() => readFailuresFilter(query), [query]);
  const from = useMemo(() => createdFrom(filter.span, ticker.get()), [filter.span, ticker]);
  const failures = useFailures({ createdFrom: from, workflow: filter.workflow || undefined });
  useKeys(keys);
  return (
    <section className="page" aria-labelledby="failures-title">
      <div className="page-head">
        <h1 id="failures-title">Failures</h1>
        <span className="muted">grouped by workflow, step, fault code and message</span>
        <Link to="/failures/bulk" className="page-head-end">
          Bulk operations
        </Link>
      </div>
      <Filters filter={filter} />
      <Shown query={failures}>{(data) => <GroupList data={data} filter={filter} />}</Shown>
    </section>
  );
}

const keys = { j: () => moveBetweenGroups(1), k: () => moveBetweenGroups(-1) };

function Filters({ filter: { span, workflow, isOpenOnly } }: { readonly filter: FailuresFilter }) {
  return (
    <div className="chips" role="group" aria-label="Filters">
      {spans.map((one) => (
        <Chip key={one} isOn={one === span} onToggle={() => setQuery({ within: one })}>
          {one}
        </Chip>
      ))}
      <Chip isOn={isOpenOnly} onToggle={() => setQuery({ open: isOpenOnly ? null : "yes" })}>
        Halted now
      </Chip>
      {workflow !== "" && (
        <FilterChip
          name="workflow"
          value={workflow}
          onRemove={() => setQuery({ workflow: null })}
        />
      )}
    </div>
  );
}

interface ListProps {
  readonly data: Failures;
  readonly filter: FailuresFilter;
}

function GroupList({ data: { groups, truncated }, filter }: ListProps) {
  // Halted ones first; the service has the latest first.
  const shown = groups
    .filter(({ open }) => open > 0 || !filter.isOpenOnly)
    .toSorted((one, other) => Number(other.open > 0) - Number(one.open > 0));
  if (shown.length === 0) return <NoFailure filter={filter} />;
  return (
    <>
      {truncated && (
        <p className="note">
          There are more failures than are grouped here: choose a shorter time or a workflow.
        </p>
      )}
      <ul className="groups" aria-label={`${formatCount(shown.length)} groups`}>
        {shown.map((group: FailureGroup) => (
          <Group key={group.fingerprint} group={group} />
        ))}
      </ul>
      <p className="keys-hint" aria-hidden="true">
        <kbd>j</kbd> <kbd>k</kbd> move · <kbd>Enter</kbd> open · <kbd>Tab</kbd> to its buttons
      </p>
    </>
  );
}

function NoFailure({ filter: { span, isOpenOnly } }: { readonly filter: FailuresFilter }) {
  return (
    <Empty title={isOpenOnly ? "No task is halted" : "No task has failed"}>
      <p>
        {span === "all"
          ? "A task that fails for good appears here."
          : `Of the tasks of the last ${span}, that is. One that fails for good appears here.`}
      </p>
      <CommandLine name="holdfast" line="holdfast tasks list --state halted" />
    </Empty>
  );
}

/** Moves the focus to the next or the previous group. */
function moveBetweenGroups(by: 1 | -1): void {
  const heads = [...document.querySelectorAll<HTMLElement>(".group-head")];
  const current = heads.findIndex(
    (head) => head.parentElement?.contains(document.activeElement) === true,
  );
  const next = current === -1 ? (by === 1 ? 0 : heads.length - 1) : current + by;
  heads[Math.max(0, Math.min(heads.length - 1, next))]?.focus();
}

/** One group: a line, and below it, once opened, what can be done. The URL says which is open. */
function Group({ group }: { readonly group: FailureGroup }) {
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

const acts = ["resubmit", "cancel", "resolve"] as const satisfies readonly BulkAction[];

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
          target={{ action, step, filter: Object.assign({}, filter, { state: "halted" }) }}
          what={[workflow, step, faultCode].filter((word) => word !== null).join(" · ")}
          onClose={() => setAction(null)}
        />
      )}
    </div>
  );
}
