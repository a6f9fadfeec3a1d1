/** One event of a stream of Server-Sent Events. */
export interface StreamEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/** Characters of one event; a stream with a longer one is not ours. */
const longestEvent = 4 * 1024 * 1024;

/**
 * Reads the text of a stream piece by piece, wherever it was cut. Returns what each piece
 * completed. Comments are events without a name, so that a heartbeat is seen.
 */
export function eventStreamReader(): (piece: string) => readonly StreamEvent[] {
  let rest = "";
  return (piece) => {
    rest += piece;
    if (rest.length > longestEvent) throw new Error("An event of the stream is too long.");
    const found: StreamEvent[] = [];
    for (;;) {
      const end = /\r\n\r\n|\n\n|\r\r/.exec(rest);
      if (end === null) return found;
      found.push(readEvent(rest.slice(0, end.index)));
      rest = rest.slice(end.index + end[0].length);
    }
  };
}

function readEvent(block: string): StreamEvent {
  let id: string | null = null;
  let event = "";
  const data: string[] = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "id" && !value.includes("\0")) id = value;
    if (field === "event") event = value;
    if (field === "data") data.push(value);
  }
  if (data.length > 0 && event === "") event = "message";
  return { id, event, data: data.join("\n") };
}
