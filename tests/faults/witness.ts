import type { LogLine } from "@holdfast/processes";

/** A line of the log of a service of a system under test. */
export type ServiceLine = LogLine & { readonly service: string; readonly pid: number };

/** Lines of each service, and lines of all services with what the test did to them. */
const [ofEach, ofAll] = [8, 40];
const kept = ["outcome", "err", "taskId", "step", "attempt", "faultCode", "detail", "gap", "code"];

/**
 * Shows the log of a system when a test fails that uses it: the last lines of each service, and the
 * last of all in the order in which they came, in which the faults stand that were near. The system
 * may be gone by then, so the log stays until the file ends; only the last few systems are shown.
 */
export function witness(log: readonly ServiceLine[]): void {
  const { holdfastWitnesses: witnesses } = globalThis as {
    readonly holdfastWitnesses?: Set<() => string>;
  };
  if (witnesses === undefined) return;
  witnesses.add(() => reportOf(log));
  const [oldest] = witnesses;
  if (witnesses.size > mostSystems && oldest !== undefined) witnesses.delete(oldest);
}

const mostSystems = 2;

/** What a person reads first of a system that did not do what a test expects. */
export function reportOf(log: readonly ServiceLine[]): string {
  const services = Map.groupBy(log, ({ service, pid, instance }) =>
    typeof instance === "string" ? instance : `${service} ${pid}`,
  );
  return [
    ...[...services].flatMap(([name, lines]) => [
      `${name}, its last lines:`,
      ...lines.slice(-ofEach).map((line) => `  ${textOf(line)}`),
    ]),
    "all of them, and what was done to them:",
    ...log.slice(-ofAll).map((line) => `  ${line.service} ${textOf(line)}`),
  ].join("\n");
}

function textOf(line: ServiceLine): string {
  const { time, msg } = line;
  const at = typeof time === "number" ? new Date(time).toISOString().slice(11, 23) : "";
  const fields = kept.flatMap((name) => {
    const value = name === "err" ? (line["err"] as Error | undefined)?.message : line[name];
    return value === undefined
      ? []
      : [`${name}=${typeof value === "string" ? value : JSON.stringify(value)}`];
  });
  return [at, msg, ...fields].join(" ").slice(0, 300);
}
