import type { Evidence, Moment } from "./evidence.ts";

interface Line {
  readonly at: Moment;
  readonly text: string;
}

/**
 * All that is known of one order, by all witnesses, in the order of time; with the faults
 * meanwhile.
 */
export function timelineOf(evidence: Evidence, taskId: string): readonly string[] {
  const key = evidence.tasks.find((task) => task.taskId === taskId)?.key;
  const own = [
    ...evidence.history
      .filter((event) => event.key === key || event.taskId === taskId)
      .map(({ at, type, via }) => ({ at, text: `client   ${type} by ${via}` })),
    ...evidence.events
      .filter((event) => event.taskId === taskId)
      .map(({ at, step, action, from, to, attempt, actor, reason }) => {
        const what = `${step ?? "task"} ${action} ${from} -> ${to} #${attempt ?? ""}`;
        return { at, text: `store    ${what} ${reason ?? ""} (${actor})` };
      }),
    ...evidence.ledger
      .filter((entry) => entry.key.startsWith(taskId))
      .map(({ at, kind, resource }) => ({ at, text: `partner  ${resource} ${kind}` })),
    ...evidence.statuses
      .filter((message) => message.taskId === taskId)
      .map(({ at, sequence, event, state }) => ({
        at,
        text: `status   ${sequence} ${event} ${state}`,
      })),
  ];
  return print([...own, ...faultsAmong(evidence, own)]);
}

function faultsAmong({ faults }: Evidence, own: readonly Line[]): readonly Line[] {
  const times = own.map(({ at }) => at);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  return faults
    .filter(({ from, healedAt }) => from <= last && healedAt >= first)
    .flatMap((fault) => [
      { at: fault.from, text: `FAULT    ${fault.class} ${fault.target}` },
      { at: fault.healedAt, text: `HEALED   ${fault.class} ${fault.target}` },
    ]);
}

const print = (lines: readonly Line[]): readonly string[] =>
  lines
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, text }) => `${new Date(at).toISOString().slice(11, 23)} ${text}`);
