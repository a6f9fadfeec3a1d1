import { type BulkOutcome, bulkOutcomes } from "@holdfast/domain";
import { ActionButton } from "../../actions/action-provider.tsx";
import { stopBulkAction } from "../../actions/operation-actions.ts";
import { useBulkItems, useBulkOperation } from "../../api/operations-queries.ts";
import type { BulkItem, BulkOperation } from "../../api/operations-types.ts";
import { Link, setQuery, usePlace } from "../../app/router.tsx";
import { taskPath } from "../../app/routes.ts";
import { tasksQuery } from "../../bulk/bulk-form.ts";
import { Badge } from "../../parts/badge.tsx";
import { Chip } from "../../parts/chip.tsx";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { Facts } from "../../parts/facts.tsx";
import { formatCount, shortId } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { bulkOutcomeStyles, bulkStyles, bulkVerb } from "../../parts/operation-styles.ts";
import { Section } from "../../parts/section.tsx";
import { ShareBar } from "../../parts/share-bar.tsx";
import { Shown } from "../../parts/shown.tsx";
import { styleOf } from "../../parts/state-styles.ts";
import { Time } from "../../parts/time.tsx";
import { sharesOf, verdictOf } from "./bulk-verdict.ts";

/** One bulk operation: how far it is, what is verified, and what became of each task. */
export function BulkPage({ id }: { readonly id: string }) {
  const first = useBulkOperation(id, false);
  // Also what has ended goes on: what a stopped operation applied is still verified.
  const every = first.data !== undefined && isSettled(first.data) ? 10_000 : 1_000;
  const operation = useBulkOperation(id, every);
  return (
    <section className="page" aria-labelledby="bulk-title">
      <div className="page-head">
        <Link to="/failures">Failures</Link>
        <Link to="/failures/bulk">Bulk operations</Link>
        <h1 id="bulk-title" className="mono" title={id}>
          {shortId(id)}
        </h1>
      </div>
      <Shown query={operation}>
        {(data) => (
          <>
            <Progress operation={data} />
            <BulkItems id={id} every={every * 2} />
          </>
        )}
      </Shown>
    </section>
  );
}

const isSettled = ({ endedAt, verified }: BulkOperation): boolean =>
  endedAt !== null && Date.now() - Date.parse(endedAt) > 60_000 && verified.running === 0;

function Progress({ operation }: { readonly operation: BulkOperation }) {
  const { action, step, state, endedAt } = operation;
  return (
    <Section
      title={`${bulkVerb(action)}${step === null ? "" : ` ${step}`}`}
      note={<Badge style={styleOf(bulkStyles, state)} />}
      end={endedAt === null && <ActionButton action={stopBulkAction(operation)} />}
    >
      <div className="section-body">
        <p className="verdict" role="status">
          {verdictOf(operation)}
        </p>
        <ShareBar shares={sharesOf(operation)} label={`Of ${operation.matched} tasks`} />
        <OperationFacts operation={operation} />
      </div>
    </Section>
  );
}

function OperationFacts({ operation }: { readonly operation: BulkOperation }) {
  const { filter, actor, reason, at, canary, rate, stoppedBy, stopReason, endedAt } = operation;
  const query = tasksQuery(filter);
  const text = <code className="long">{JSON.stringify(filter)}</code>;
  return (
    <Facts
      facts={[
        ["Filter", query === null ? text : <Link to={`/tasks${query}`}>{text}</Link>],
        ["By", actor],
        ["Reason", reason],
        ["Created", <Time at={at} />],
        ["Canary", canary === 0 ? "none" : `${formatCount(canary)} first`],
        ["Rate", `${formatCount(rate)} a second`],
        ...(stoppedBy === null ? [] : [["Stopped by", stoppedBy] as const]),
        ...(stopReason === null ? [] : [["Because", stopReason] as const]),
        ["Ended", endedAt === null ? "not yet" : <Time at={endedAt} />],
      ]}
    />
  );
}

const columns: readonly TableColumn<BulkItem>[] = [
  {
    id: "task",
    header: "Task",
    cell: ({ taskId }) => (
      <Link to={taskPath(taskId)} className="mono" title={taskId}>
        {taskId}
      </Link>
    ),
  },
  {
    id: "outcome",
    header: "Outcome",
    cell: ({ outcome }) => <Badge style={styleOf(bulkOutcomeStyles, outcome)} />,
  },
  { id: "step", header: "Step", cell: ({ step }) => step ?? <span className="muted">–</span> },
  {
    id: "code",
    header: "Code",
    cell: ({ code }) =>
      code === null ? <span className="muted">–</span> : <code title={code}>{code}</code>,
  },
  { id: "at", header: "Since", isNumber: true, cell: ({ at }) => <Time at={at} form="age" /> },
];

interface Props {
  readonly id: string;
  /** Milliseconds between two looks. */
  readonly every: number;
}

/** What became of each task of a bulk operation. */
function BulkItems({ id, every }: Props) {
  const { query } = usePlace();
  const outcome = bulkOutcomes.find((one) => one === query.get("outcome")) ?? null;
  const items = useBulkItems(id, outcome, every);
  return (
    <Section title="Tasks" end={<OutcomeChips chosen={outcome} />}>
      <Shown query={items}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.items);
          if (rows.length === 0) return <p className="section-body muted">No task.</p>;
          return (
            <DataTable
              name="items"
              label="Tasks of the operation"
              rows={rows}
              columns={columns}
              keyOf={({ taskId }) => taskId}
            />
          );
        }}
      </Shown>
      {items.hasNextPage && (
        <button
          type="button"
          className="button more"
          disabled={items.isFetchingNextPage}
          onClick={() => void items.fetchNextPage()}
        >
          More
        </button>
      )}
    </Section>
  );
}

function OutcomeChips({ chosen }: { readonly chosen: BulkOutcome | null }) {
  return (
    <>
      {bulkOutcomes.map((one) => {
        const style = bulkOutcomeStyles[one];
        return (
          <Chip
            key={one}
            isOn={one === chosen}
            onToggle={() => setQuery({ outcome: one === chosen ? null : one }, { replace: true })}
          >
            <Icon name={style.icon} className={`tone-${style.tone}`} />
            {style.word}
          </Chip>
        );
      })}
    </>
  );
}
