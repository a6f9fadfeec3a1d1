import { useVerify } from "../../api/operations-queries.ts";
import type { Verification } from "../../api/operations-types.ts";
import { Link } from "../../app/router.tsx";
import { taskPath } from "../../app/routes.ts";
import { Badge } from "../../parts/badge.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { formatCount } from "../../parts/format.ts";
import { severityLooks } from "../../parts/operation-looks.ts";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";
import { LookAgain } from "./look-again.tsx";

/** What must never be, among the tasks of the last day. */
export function Verify() {
  const verify = useVerify();
  return (
    <Shown query={verify}>
      {(data) => (
        <Section title={titleOf(data)} note={<LookAgain at={data.at} query={verify} />}>
          <p className="section-body muted">
            It looked at {data.complete ? "all" : "the first"} {formatCount(data.tasks)} tasks of
            the last 24 hours{data.complete ? "." : ": its time was over before it had seen all."}
          </p>
          <ul className="findings">
            {data.violations.map(({ rule, taskId, sentence }) => (
              <li key={`${rule} ${taskId} ${sentence}`}>
                <Badge look={severityLooks.error} />
                <code className="finding-check">{rule}</code>
                <div className="long">
                  <p>{sentence}</p>
                  {taskId !== null && (
                    <Link to={taskPath(taskId)} className="mono">
                      {taskId}
                    </Link>
                  )}
                </div>
              </li>
            ))}
          </ul>
          <div className="section-body">
            <CommandLine name="holdfast" line="holdfast verify --since 24h" />
          </div>
        </Section>
      )}
    </Shown>
  );
}

/** The title of what was found: of tasks that it did not look at it says nothing. */
function titleOf({ ok, complete, violations }: Verification): string {
  if (!ok) return `${formatCount(violations.length)} rules are broken`;
  return complete ? "No rule is broken" : "No rule is broken as far as it looked";
}
