/** What a line of a service's log means to the person at the terminal. */
export type LogLine =
  | { readonly kind: "ready"; readonly fields: Readonly<Record<string, unknown>> }
  /** An Agent takes no more requests, and finishes those that it has. */
  | { readonly kind: "stopping" }
  /** A warning or an error, in one line. */
  | { readonly kind: "trouble"; readonly text: string; readonly isError: boolean }
  /** Something that the process printed itself. */
  | { readonly kind: "printed"; readonly text: string }
  | { readonly kind: "other" };

const [warning, error] = [40, 50];

/** Reads a line that a service or an Agent printed. */
export function readLogLine(line: string): LogLine {
  const fields = parse(line);
  if (fields === null)
    return line.trim() === "" ? { kind: "other" } : { kind: "printed", text: line };
  if (fields["msg"] === "ready") return { kind: "ready", fields };
  if (fields["msg"] === "consuming stopped") return { kind: "stopping" };
  const level = fields["level"];
  if (typeof level !== "number" || level < warning) return { kind: "other" };
  const err = fields["err"] as { readonly message?: string } | undefined;
  const cause = err?.message === undefined ? "" : `: ${err.message}`;
  return { kind: "trouble", isError: level >= error, text: `${String(fields["msg"])}${cause}` };
}

function parse(line: string): Readonly<Record<string, unknown>> | null {
  if (!line.startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(line);
    const isLog = typeof value === "object" && value !== null && "level" in value && "msg" in value;
    return isLog ? { ...value } : null;
  } catch {
    return null;
  }
}
