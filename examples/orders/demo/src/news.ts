import { terminalText } from "@holdfast/domain";
import type { LogLine } from "@holdfast/processes";

/** The last lines that the screen shows. */
export interface News {
  readonly lines: readonly string[];
  add(line: string): void;
}

const mostLines = 12;

export function openNews(): News {
  const lines: string[] = [];
  return {
    lines,
    add(news) {
      // Agents have their words in it, and the screen draws it among commands of its own.
      const line = terminalText(news);
      if (lines.includes(line)) return; // Each reply of a task that is being undone says so again.
      lines.push(line);
      if (lines.length > mostLines) lines.shift();
    },
  };
}

/** What of the services' logs is worth telling a person who watches; null: nothing. */
export function newsOf(line: LogLine): string | null {
  const id = shortId(line["taskId"]);
  switch (line.msg) {
    case "task moved":
      return movedTo(id, line);
    case "task halted":
      return `! ${id}  halted and waits for an operator: ${text(line["faultCode"])}`;
    case "step expired":
    case "task limit passed":
      return `~ ${id}  ${text(line["step"])} passed its limit: ${text(line["action"])}`;
    case "requests resent":
      return `~ another Scheduler published requests whose Scheduler may be dead`;
    case "request dead-lettered":
      return `~ ${id}  ${text(line["step"])} was not started in time: requeued`;
    case "reply rejected":
      return `~ ${id}  a reply to ${text(line["step"])} was late or a duplicate: rejected`;
    default:
      return null;
  }
}

function movedTo(id: string, line: LogLine): string | null {
  const fault = text(line["faultCode"]);
  const because = fault === "" ? "" : ` because of ${fault}`;
  switch (line["processState"]) {
    case "processed":
      return `✔ ${id}  processed`;
    case "undoing":
      return `↩ ${id}  is being undone${because}`;
    case "undone":
      return `✔ ${id}  undone`;
    default:
      return null;
  }
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** The end of an id: its beginning is the time, and the same for all. */
const shortId = (id: unknown): string => (typeof id === "string" ? `…${id.slice(-8)}` : "");
