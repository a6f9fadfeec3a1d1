import type { ReactNode } from "react";
import { useSession } from "../../api/console-context.ts";
import { useApproval } from "../../api/operations-queries.ts";
import type { Approval } from "../../api/types.ts";
import { Link } from "../../app/router.tsx";
import { taskPath, workflowPath } from "../../app/routes.ts";
import { Badge } from "../../parts/badge.tsx";
import { Facts } from "../../parts/facts.tsx";
import { shortId } from "../../parts/format.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";
import { styleOf } from "../../parts/state-styles.ts";
import { Time } from "../../parts/time.tsx";
import { approvalStyles, approvalsIn, atDeadline, flatEntries, stateOf } from "./decision.ts";
import { Decisions } from "./decisions.tsx";
import { OwnDecision } from "./own-decision.tsx";
import { TimeLeft } from "./time-left.tsx";

/** One step that people decide: what is asked, who decided what, and one's own decision. */
export function ApprovalPage({ id, step }: { readonly id: string; readonly step: string }) {
  const approval = useApproval(id, step);
  return (
    <section className="page" aria-labelledby="approval-title">
      <div className="page-head">
        <Link to="/approvals">Approvals</Link>
        <h1 id="approval-title" className="cut" title={step}>
          {step}
        </h1>
        {approval.data !== undefined && (
          <Badge style={styleOf(approvalStyles, stateOf(approval.data))} />
        )}
      </div>
      <Shown query={approval}>
        {(data) => (
          <>
            <Asked approval={data} />
            <Section
              title="Decisions"
              note={`${approvalsIn(data)} of ${data.quorum} have approved`}
            >
              <Decisions decisions={data.decisions} step={step} />
            </Section>
            <OwnDecision approval={data} />
          </>
        )}
      </Shown>
    </section>
  );
}

/** What those see who decide. */
function Asked({ approval }: { readonly approval: Approval }) {
  const { taskId, workflow, key, audience, quorum, submittedBy, openedAt, show } = approval;
  const { role } = useSession();
  const task = key ?? shortId(taskId);
  const shown = flatEntries(show);
  return (
    <Section title="What is asked">
      <div className="section-body approval-asked">
        {shown !== null && shown.length > 0 && <Facts facts={shown} />}
        {shown === null && <JsonView value={show} label="what is shown" />}
        {approval.omitted?.includes("show") === true && (
          <p className="hint">What is shown is too large for this page.</p>
        )}
        <Facts
          facts={[
            // Only operators see the pages of tasks and workflows.
            ["Task", role === "operator" ? <Link to={taskPath(taskId)}>{task}</Link> : task],
            [
              "Workflow",
              role === "operator" ? <Link to={workflowPath(workflow)}>{workflow}</Link> : workflow,
            ],
            ["Submitted by", submittedBy ?? "not known"],
            ["Audience", `${audience}, ${quorum} of whom must approve`],
            ...(openedAt === null ? [] : waitFacts(approval)),
          ]}
        />
      </div>
    </Section>
  );
}

/** The time for which a step has waited, when it ends by itself, and what that means. */
const waitFacts = (approval: Approval): readonly (readonly [string, ReactNode])[] => [
  ["Asked", <Time at={approval.openedAt} />],
  [
    "Ends",
    <>
      <TimeLeft approval={approval} />
      {approval.deadline !== null && `, ${atDeadline[approval.onDeadline]}`}
    </>,
  ],
];
