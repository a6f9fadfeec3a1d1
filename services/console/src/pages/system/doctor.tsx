import { useDoctor } from "../../api/operations-queries.ts";
import { Badge } from "../../parts/badge.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { severityLooks } from "../../parts/operation-looks.ts";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";
import { LookAgain } from "./look-again.tsx";

const order = { error: 0, warning: 1, ok: 2 } as const;

/** How the servers are set up: what is wrong first. */
export function Doctor() {
  const doctor = useDoctor();
  return (
    <Shown query={doctor}>
      {({ at, ok, findings }) => (
        <Section
          title={ok ? "Nothing is set up wrongly" : "Something is set up wrongly"}
          note={<LookAgain at={at} query={doctor} />}
        >
          <ul className="findings">
            {findings
              .toSorted((one, other) => order[one.severity] - order[other.severity])
              .map(({ check, severity, sentence, advice }) => (
                <li key={`${check} ${sentence}`}>
                  <Badge look={severityLooks[severity]} />
                  <code className="finding-check">{check}</code>
                  <div className="long">
                    <p>{sentence}</p>
                    {advice !== null && <p className="muted">{advice}</p>}
                  </div>
                </li>
              ))}
          </ul>
          <div className="section-body">
            <CommandLine name="holdfast" line="holdfast doctor" />
          </div>
        </Section>
      )}
    </Shown>
  );
}
