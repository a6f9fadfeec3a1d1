import { useSession } from "../../api/console-context.ts";
import { useApprovals } from "../../api/operations-queries.ts";
import type { OpenApproval } from "../../api/types.ts";
import { Link, setQuery, usePlace } from "../../app/router.tsx";
import { approvalPath } from "../../app/routes.ts";
import { Chip, FilterChip } from "../../parts/chip.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount, shortId } from "../../parts/format.ts";
import { Shown } from "../../parts/shown.tsx";
import { approvalsIn, showLine } from "./decision.ts";
import { TimeLeft } from "./time-left.tsx";

/** What waits for people to decide: to those who decide, what they may and have not yet. */
export function ApprovalsPage() {
  const { query } = usePlace();
  const { role } = useSession();
  const audience = query.get("audience") ?? "";
  const isMine = role === "principal" && query.get("decided") !== "yes";
  const approvals = useApprovals({
    audience: audience === "" ? undefined : audience,
    mine: isMine ? "true" : undefined,
  });
  return (
    <section className="page" aria-labelledby="approvals-title">
      <div className="page-head">
        <h1 id="approvals-title">Approvals</h1>
        <span className="muted">
          {role === "principal"
            ? "steps that wait for you to decide, the oldest first"
            : "steps that wait for people to decide, the oldest first"}
        </span>
      </div>
      {(role === "principal" || audience !== "") && (
        <div className="chips" role="group" aria-label="Filters">
          {role === "principal" && (
            <Chip isOn={!isMine} onToggle={() => setQuery({ decided: isMine ? "yes" : null })}>
              Also those that I have decided
            </Chip>
          )}
          {audience !== "" && (
            <FilterChip
              name="audience"
              value={audience}
              onRemove={() => setQuery({ audience: null })}
            />
          )}
        </div>
      )}
      <Shown query={approvals}>
        {({ pages }) => (
          <Inbox
            approvals={pages.flatMap(({ items }) => items)}
            hasMore={approvals.hasNextPage}
            onMore={() => void approvals.fetchNextPage()}
          />
        )}
      </Shown>
    </section>
  );
}

interface InboxProps {
  readonly approvals: readonly OpenApproval[];
  readonly hasMore: boolean;
  readonly onMore: () => void;
}

function Inbox({ approvals, hasMore, onMore }: InboxProps) {
  if (approvals.length === 0) return <Nothing />;
  return (
    <>
      <ul className="groups" aria-label={`${formatCount(approvals.length)} approvals`}>
        {approvals.map((one) => (
          <Row key={`${one.taskId} ${one.step}`} approval={one} />
        ))}
      </ul>
      {hasMore && (
        <button type="button" className="button" onClick={onMore}>
          More
        </button>
      )}
    </>
  );
}

function Nothing() {
  return (
    <Empty title="Nothing waits for a decision">
      <p>A step that its workflow has people approve appears here.</p>
      <CommandLine name="holdfast" line="holdfast approvals list" />
    </Empty>
  );
}

function Row({ approval }: { readonly approval: OpenApproval }) {
  const { taskId, step, workflow, key, audience, quorum, show } = approval;
  return (
    <li className="card approval">
      <Link to={approvalPath(taskId, step)} className="approval-row">
        <span className="group-words">
          <span className="group-where">
            {step} · {workflow} · {key ?? shortId(taskId)}
          </span>
          <span className="group-message">{showLine(show)}</span>
        </span>
        <span className="approval-quorum" title={`${audience}, ${quorum} of whom must approve`}>
          {audience} · {approvalsIn(approval)} of {quorum}
        </span>
        <TimeLeft approval={approval} />
      </Link>
    </li>
  );
}
