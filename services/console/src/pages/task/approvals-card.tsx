import { useApproval } from "../../api/operations-queries.ts";
import type { Task } from "../../api/types.ts";
import { Link } from "../../app/router.tsx";
import { approvalPath } from "../../app/routes.ts";
import { Badge } from "../../parts/badge.tsx";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";
import { styleOf } from "../../parts/state-styles.ts";
import { approvalStyles, approvalsIn, stateOf } from "../approvals/decision.ts";
import { Decisions } from "../approvals/decisions.tsx";
import { TimeLeft } from "../approvals/time-left.tsx";

/** The steps of a task that people decide: who decided what, and why. */
export function ApprovalsCard({ task: { id, steps } }: { readonly task: Task }) {
  const decided = steps.filter(({ kind }) => kind === "approval");
  return (
    <Section title="Approvals">
      {decided.map(({ name }) => (
        <OneApproval key={name} id={id} step={name} />
      ))}
    </Section>
  );
}

function OneApproval({ id, step }: { readonly id: string; readonly step: string }) {
  return (
    <section className="task-approval" aria-label={`Approval ${step}`}>
      <Shown query={useApproval(id, step)}>
        {(data) => (
          <>
            <header className="task-approval-head">
              <h3>
                <Link to={approvalPath(id, step)}>{step}</Link>
              </h3>
              <Badge style={styleOf(approvalStyles, stateOf(data))} />
              <span className="muted">
                {approvalsIn(data)} of {data.quorum} of {data.audience} have approved
                {stateOf(data) === "open" && " · "}
                {stateOf(data) === "open" && <TimeLeft approval={data} />}
              </span>
            </header>
            {(data.decisions.length > 0 || stateOf(data) === "open") && (
              <Decisions decisions={data.decisions} step={step} />
            )}
          </>
        )}
      </Shown>
    </section>
  );
}
