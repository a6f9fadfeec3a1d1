import type { Verdict } from "./judge.ts";
import type { Recovery } from "./measure-recovery.ts";

/** What several rounds came to. */
export function mergeVerdicts(verdicts: readonly Verdict[]): Verdict {
  const sum = (of: (verdict: Verdict) => number): number =>
    verdicts.reduce((total, verdict) => total + of(verdict), 0);
  const recovery = mergeRecoveries(verdicts);
  return {
    valid: verdicts.every(({ valid }) => valid),
    orders: sum(({ orders }) => orders),
    attempted: sum(({ attempted }) => attempted),
    faults: sum(({ faults }) => faults),
    classes: Object.keys(recovery).length,
    lost: sum(({ lost }) => lost),
    forfeited: sum(({ forfeited }) => forfeited),
    recovered: sum(({ recovered }) => recovered),
    doubled: sum(({ doubled }) => doubled),
    stuck: sum(({ stuck }) => stuck),
    processed: sum(({ processed }) => processed),
    undone: sum(({ undone }) => undone),
    staleReplies: sum(({ staleReplies }) => staleReplies),
    violations: verdicts.flatMap(({ violations }) => violations),
    vacuous: verdicts.flatMap(({ vacuous }) => vacuous),
    recovery,
  };
}

function mergeRecoveries(verdicts: readonly Verdict[]): Verdict["recovery"] {
  const all = verdicts.flatMap(({ recovery }) => Object.entries(recovery));
  return Object.fromEntries(
    [...Map.groupBy(all, ([name]) => name)].map(([name, rounds]): [string, Recovery] => [
      name,
      {
        outages: rounds.flatMap(([, { outages }]) => outages),
        times: rounds.flatMap(([, { times }]) => times),
      },
    ]),
  );
}
