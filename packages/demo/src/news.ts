import type { LogLine } from "@holdfast/local-system";

/** What of the services' logs is worth telling a person who watches; null: nothing. */
export function newsOf(line: LogLine): string | null {
  const id = shortId(line["taskId"]);
  switch (line.msg) {
    case "task moved":
      return movedTo(id, line);
    case "task halted":
      return `! ${id}  needs a person: ${text(line["faultCode"])}`;
    case "limit passed":
      return `~ ${id}  ${text(line["step"])} was silent for too long: ${text(line["action"])}`;
    case "requests relayed":
      return `~ a request got lost with its Scheduler: another one sent it`;
    case "request came back":
      return `~ ${id}  ${text(line["step"])} was not begun in time: put back`;
    case "reply rejected":
      return `~ ${id}  a reply to ${text(line["step"])} came too late or twice: ignored`;
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
    case "compensating":
      return `↩ ${id}  is being undone${because}`;
    case "compensated":
      return `✔ ${id}  undone`;
    default:
      return null;
  }
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** The end of an id: its beginning is the time, and the same for all. */
const shortId = (id: unknown): string => (typeof id === "string" ? `…${id.slice(-8)}` : "");
