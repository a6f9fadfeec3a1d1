import { useEffect, useMemo } from "react";
import type { Attempts, LateReply, Step } from "../../../api/types.ts";
import { Badge } from "../../../parts/badge.tsx";
import { exactTime, formatCount } from "../../../parts/format.ts";
import { lookOf, stepLooks } from "../../../parts/state-looks.ts";
import type { Selected } from "../timeline/placed-lanes.ts";
import { AttemptDetail } from "./attempt-detail.tsx";
import { AttemptRows } from "./attempt-rows.tsx";

interface Props {
  readonly attempts: Attempts;
  readonly step: Step;
  /** What the verdict says that this step waits for; null: it is not known, or the step is not open. */
  readonly waitsFor: string | null;
  readonly selected: Selected;
  readonly onSelect: (selected: Selected) => void;
  readonly traceUrl: string | null;
}

/** The attempts of one step, and of one of them what went in, what came out, and what went wrong. */
export function AttemptsCard({ attempts, step, waitsFor, selected, onSelect, traceUrl }: Props) {
  const own = useMemo(
    () => attempts.items.filter((one) => one.step === step.name),
    [attempts, step.name],
  );
  const late = useMemo(
    () => attempts.lateReplies.filter((one) => one.step === step.name),
    [attempts, step.name],
  );
  const shown = own.find(({ attempt }) => attempt === selected.attempt) ?? own[0];
  useEffect(() => {
    if (shown !== undefined && selected.attempt === null)
      onSelect({ step: step.name, attempt: shown.attempt });
  }, [shown, selected.attempt, onSelect, step.name]);
  return (
    <section className="card" aria-labelledby="step-title">
      <header className="card-head">
        <h2 id="step-title">{step.name}</h2>
        <Badge look={lookOf(stepLooks, step.processState)} />
        <span className="muted">
          Agent {step.agent} · {formatCount(own.length)} {own.length === 1 ? "attempt" : "attempts"}
          {step.failureCount > 0 && ` · ${step.failureCount} failed`}
          {step.requeueCount > 0 && ` · ${step.requeueCount} requeued`}
        </span>
        {traceUrl !== null && (
          <a className="end" href={traceUrl} target="_blank" rel="noreferrer">
            Trace
          </a>
        )}
      </header>
      {shown === undefined ? (
        <p className="card-none">{reasonForNone(step, waitsFor)}</p>
      ) : (
        <div className="attempts">
          <AttemptRows items={own} shown={shown} onSelect={onSelect} />
          <AttemptDetail attempt={shown} isLatest={shown.attempt === step.attempt} />
        </div>
      )}
      {late.length > 0 && <LateReplies replies={late} />}
    </section>
  );
}

/** The verdict is the one explanation: of an open step this card has no reason of its own. */
function reasonForNone({ processState, faultCode }: Step, waitsFor: string | null): string {
  if (processState === "waiting" || processState === "pending") {
    return waitsFor ?? "No attempt of it has begun.";
  }
  if (processState === "skipped") return "It was skipped: there was nothing to do.";
  if (processState === "cancelled")
    return `It was cancelled before it began${faultCode === null ? "." : `: ${faultCode}.`}`;
  return "No attempt of it is kept.";
}

function LateReplies({ replies }: { readonly replies: readonly LateReply[] }) {
  return (
    <div className="late-replies tone-warn">
      <h3>
        {replies.length} late {replies.length === 1 ? "reply" : "replies"} refused
      </h3>
      <p className="muted">They came when their attempt was over, and changed nothing.</p>
      <ul>
        {replies.slice(0, 50).map(({ attempt, at, reason, sender }) => (
          <li key={`${at} ${attempt}`}>
            <time dateTime={at}>{exactTime(at)}</time> attempt {attempt ?? "?"}: {reason}
            {sender !== null && <span className="muted"> from {sender}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
