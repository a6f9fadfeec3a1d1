import type { ReactNode } from "react";
import { Badge } from "../parts/badge.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { lookOf, taskLooks } from "../parts/state-looks.ts";
import type { ActionCall } from "./action.ts";
import type { CallOutcome } from "./run-calls.ts";

interface Props {
  readonly outcomes: ReadonlyMap<ActionCall, CallOutcome>;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

/** What came of each call, in the words of the service. */
export function Outcomes({ outcomes, onAgain, onClose }: Props) {
  const all = [...outcomes];
  const count = (kind: CallOutcome["kind"]) => all.filter(([, one]) => one.kind === kind).length;
  const left = count("waiting") + count("asked");
  const refused = count("refused");
  return (
    <div className="dialog-body">
      <p role="status">
        {left > 0
          ? `Asking: ${all.length - left} of ${all.length} answered.`
          : `The service accepted ${count("done")} of ${all.length}.`}
      </p>
      <ul className="outcomes">
        {all.slice(0, 200).map(([call, outcome]) => (
          <li key={call.path}>
            <code>{call.target}</code>
            {wordsOf(outcome)}
          </li>
        ))}
      </ul>
      <footer className="dialog-foot">
        {left === 0 && refused > 0 && (
          <button type="button" className="button" onClick={onAgain}>
            Back
          </button>
        )}
        <button type="button" className="button button-primary" autoFocus onClick={onClose}>
          {left > 0 ? "Stop after this one" : "Close"}
        </button>
      </footer>
    </div>
  );
}

function wordsOf(outcome: CallOutcome): ReactNode {
  switch (outcome.kind) {
    case "waiting":
      return <span className="muted">waits</span>;
    case "asked":
      return <span className="muted">asked …</span>;
    case "refused":
      return <ProblemNote error={outcome.error} />;
    case "done": {
      const state = stateIn(outcome.answer);
      return state === null ? <span>accepted</span> : <Badge look={lookOf(taskLooks, state)} />;
    }
  }
}

const stateIn = (answer: unknown): string | null =>
  typeof answer === "object" &&
  answer !== null &&
  "state" in answer &&
  typeof answer.state === "string"
    ? answer.state
    : null;
