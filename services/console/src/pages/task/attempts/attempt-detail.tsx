import { saidBy } from "@holdfast/domain/source";
import type { ReactNode } from "react";
import type { Attempt } from "../../../api/types.ts";
import { exactTime } from "../../../parts/format.ts";
import { JsonView } from "../../../parts/json-view.tsx";

interface Props {
  readonly attempt: Attempt;
  /** Input and output are kept of the latest attempt only. */
  readonly isLatest: boolean;
}

/** Input, output and fault of an attempt, side by side, and when it was where. */
export function AttemptDetail({ attempt, isLatest }: Props) {
  const { input, output, outcome, faultCode, source, faultDetail, progress } = attempt;
  return (
    <div className="attempt">
      <dl className="stages">
        {stagesOf(attempt).map(([name, at]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{at === null ? "–" : exactTime(at)}</dd>
          </div>
        ))}
        <div>
          <dt>locked by</dt>
          <dd>{attempt.lockedBy}</dd>
        </div>
      </dl>
      <div className="sides">
        <Side title="Input">
          {isLatest ? <JsonView value={input} label="input" /> : <NotKept />}
        </Side>
        <Side title="Output">
          {isLatest ? <JsonView value={output} label="output" /> : <NotKept />}
        </Side>
        <Side title="Fault">
          {faultCode === null ? (
            <p className="json-none">none</p>
          ) : (
            <div className="fault">
              <code>{faultCode}</code>
              <p>{outcome === "requeued" ? "No failure is counted: it waits." : saidBy(source)}</p>
              {faultDetail !== null && <p>{faultDetail}</p>}
            </div>
          )}
        </Side>
        {progress !== null && (
          <Side title="Progress">
            <JsonView value={progress} label="progress" />
          </Side>
        )}
      </div>
    </div>
  );
}

function Side({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="side">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

const NotKept = () => <p className="json-none">kept of the latest attempt only</p>;

const stagesOf = (attempt: Attempt): readonly (readonly [string, string | null])[] => [
  ["claimed", attempt.claimedAt],
  ...(attempt.startedAt === null ? [] : [["started", attempt.startedAt] as const]),
  ...(attempt.heartbeatAt === null ? [] : [["heartbeat", attempt.heartbeatAt] as const]),
  ["ended", attempt.endedAt],
  ["complete-by", attempt.completeBy],
];
