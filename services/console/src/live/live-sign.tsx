import { exactTime } from "../parts/format.ts";
import type { StreamState } from "./follow-stream.ts";
import { useLiveState } from "./use-live.ts";

const words: Readonly<Record<StreamState["kind"], string>> = {
  connecting: "Connecting",
  live: "Live",
  lost: "Not live",
  refused: "Polling",
};

/** Whether changes are shown as they happen. */
export function LiveSign() {
  const state = useLiveState();
  return (
    <span className={`live live-${state.kind}`} title={explain(state)}>
      <span className="live-dot" aria-hidden="true" />
      {words[state.kind]}
    </span>
  );
}

function explain(state: StreamState): string {
  switch (state.kind) {
    case "connecting":
      return "The console opens the stream of changes.";
    case "live":
      return "Changes are shown as they happen.";
    case "lost":
      return `The stream of changes was lost at ${exactTime(state.since)}. The console opens it again, and asks every few seconds until then.`;
    case "refused":
      return `There is no stream of changes: ${state.reason} The console asks every few seconds.`;
  }
}
