import { saidBy } from "@holdfast/domain/source";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useMemo, useRef } from "react";
import { useNow } from "../../../api/console-context.ts";
import type { Attempt, Attempts, LateReply, Step, StepWait } from "../../../api/types.ts";
import { Badge } from "../../../parts/badge.tsx";
import {
  clockTime,
  exactTime,
  formatCount,
  formatDuration,
  relativeTime,
} from "../../../parts/format.ts";
import { JsonView } from "../../../parts/json-view.tsx";
import { attemptStyles, stepStyles, styleOf } from "../../../parts/state-styles.ts";
import type { Selected } from "../timeline/placed-lanes.ts";

interface Props {
  readonly attempts: Attempts;
  readonly step: Step;
  /**
   * What the verdict says that this step waits for; null: it is not known, or the step is not open.
   */
  readonly waitsFor: string | null;
  readonly selected: Selected;
  readonly onSelect: (selected: Selected) => void;
  readonly traceUrl: string | null;
}

/**
 * The attempts of one step, and of one of them what went in, what came out, and what went wrong.
 */
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
        <Badge style={styleOf(stepStyles, step.processState)} />
        <span className="muted">
          {asksNoAgent(step) ? (
            <Countdown step={step} waits={attempts.waits} />
          ) : (
            <>
              Agent {step.agent} · {formatCount(own.length)}{" "}
              {own.length === 1 ? "attempt" : "attempts"}
              {step.failureCount > 0 && ` · ${step.failureCount} failed`}
              {step.requeueCount > 0 && ` · ${step.requeueCount} requeued`}
            </>
          )}
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

interface CountdownProps {
  readonly step: Step;
  readonly waits: readonly StepWait[];
}

/** Whether a step only waits, for a time, a signal or people, so that it has no attempts. */
const asksNoAgent = ({ kind }: Step): boolean =>
  kind === "wait" || kind === "signal" || kind === "approval";

/**
 * How long a step has yet to wait, and for which signal or whom; or from when to when it waited.
 */
function Countdown({ step: { name, awaiting }, waits }: CountdownProps) {
  const now = useNow();
  const { until = null, signal = null, audience = null } = awaiting ?? {};
  const whom = audience === null ? "" : ` for ${audience} to decide`;
  const whatFor = signal === null ? whom : ` for signal ${signal}`;
  if (awaiting !== null && until === null) return `waits${whatFor}, without an end`;
  if (until !== null) {
    return (
      <>
        waits{whatFor} until <time dateTime={until}>{exactTime(until)}</time>:{" "}
        {Date.parse(until) > now ? relativeTime(until, now) : "it is over, and ends soon"}
      </>
    );
  }
  const last = waits.findLast((wait) => wait.step === name);
  if (last === undefined || last.until === null) return "asks no Agent: it only waits";
  const took = Date.parse(last.until) - Date.parse(last.from);
  return `waited ${formatDuration(took)}, until ${exactTime(last.until)}`;
}

/** The verdict is the one explanation: of an open step this card has no reason of its own. */
function reasonForNone(step: Step, waitsFor: string | null): string {
  const { processState, faultCode } = step;
  if (processState === "waiting" || processState === "pending" || processState === "awaiting") {
    return waitsFor ?? (asksNoAgent(step) ? "It waits." : "No attempt of it has begun.");
  }
  if (asksNoAgent(step)) return reasonOfWait(processState, faultCode);
  if (processState === "skipped") return "It was skipped: there was nothing to do.";
  if (processState === "cancelled")
    return `It was cancelled before it began${faultCode === null ? "." : `: ${faultCode}.`}`;
  return "No attempt of it is kept.";
}

/** How the wait of a step ended, of which there are no attempts. */
function reasonOfWait(processState: Step["processState"], faultCode: string | null): string {
  if (processState === "processed")
    return "Its wait is over. It asks no Agent, so there are no attempts.";
  if (processState === "cancelled")
    return "Its wait was cut short, or never began: the task is undone.";
  if (processState === "error")
    return `It waited in vain, or could not wait${faultCode === null ? "." : `: ${faultCode}.`}`;
  return "It was skipped: it did not wait.";
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

interface AttemptDetailProps {
  readonly attempt: Attempt;
  /** Input and output are kept of the latest attempt only. */
  readonly isLatest: boolean;
}

/** Input, output and fault of an attempt, side by side, and when it was where. */
function AttemptDetail({ attempt, isLatest }: AttemptDetailProps) {
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

interface AttemptRowsProps {
  /** Newest first. */
  readonly items: readonly Attempt[];
  readonly shown: Attempt;
  readonly onSelect: (selected: Selected) => void;
}

const rowHeight = 46;

/** The attempts of a step. Only those in sight are in the page. */
function AttemptRows({ items, shown, onSelect }: AttemptRowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
  });
  const index = items.indexOf(shown);
  useEffect(() => virtual.scrollToIndex(Math.max(index, 0)), [virtual, index]);
  return (
    <div ref={scroller} className="attempt-rows" role="group" aria-label="Attempts, newest first">
      <div className="rows-all" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index: at, start }) => {
          const attempt = items[at];
          if (attempt === undefined) return null;
          return (
            <button
              key={attempt.attempt}
              type="button"
              className="attempt-row"
              aria-pressed={attempt === shown}
              style={{ transform: `translateY(${start}px)`, height: rowHeight }}
              onClick={() => onSelect({ step: attempt.step, attempt: attempt.attempt })}
            >
              <Row attempt={attempt} />
            </button>
          );
        })}
      </div>
    </div>
  );
}

function Row({ attempt }: { readonly attempt: Attempt }) {
  const now = useNow();
  const time = timeUsed(attempt, now);
  const share = time === null ? 0 : Math.min(Math.max(time.used / time.allowed, 0), 1);
  const style = styleOf(attemptStyles, attempt.outcome);
  return (
    <>
      <span className="attempt-number">#{attempt.attempt}</span>
      <Badge style={style} />
      <time dateTime={attempt.claimedAt} title={exactTime(attempt.claimedAt)} className="muted">
        {clockTime(attempt.claimedAt)}
      </time>
      <span className={`meter tone-${style.tone}`} title="Time used until complete-by">
        <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
          <rect className="meter-all" width="100" height="4" />
          <rect className="meter-used" width={share * 100} height="4" />
        </svg>
        <small className="muted">{timeWords(attempt, now)}</small>
      </span>
    </>
  );
}

type Timed = Pick<Attempt, "claimedAt" | "endedAt" | "completeBy">;

/** How much of its time an attempt has used; null: it has no deadline. */
function timeUsed(
  { claimedAt, endedAt, completeBy }: Timed,
  now: number,
): { readonly used: number; readonly allowed: number } | null {
  if (completeBy === null) return null;
  const from = Date.parse(claimedAt);
  const used = (endedAt === null ? now : Date.parse(endedAt)) - from;
  return { used, allowed: Date.parse(completeBy) - from };
}

/** The time of an attempt in words: `265 ms of 35 s`. */
function timeWords(attempt: Timed, now: number): string {
  const time = timeUsed(attempt, now);
  if (time !== null) return `${formatDuration(time.used)} of ${formatDuration(time.allowed)}`;
  if (attempt.endedAt === null) return "–";
  return formatDuration(Date.parse(attempt.endedAt) - Date.parse(attempt.claimedAt));
}
