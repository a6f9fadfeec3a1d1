/** An event of a stream of Server-Sent Events. */
export interface ServerEvent {
  /** The id of the last event that had one; empty: no event had one yet. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** The longest silence of a service in milliseconds: after it the connection counts as lost. */
const silence = 45_000;

/**
 * The events of an answer, as they come. Ends with the stream, and throws when the connection breaks or when nothing
 * comes for too long.
 */
export async function* serverEvents({ body }: Response): AsyncGenerator<ServerEvent, void> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let id = "";
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read());
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const parts = text.split(/\r\n\r\n|\n\n|\r\r/);
      // The last one is not complete.
      text = parts.pop() ?? "";
      for (const part of parts) {
        const fields = fieldsOf(part);
        id = fields.get("id") ?? id;
        const data = fields.get("data");
        if (data !== undefined) yield { id, event: fields.get("event") ?? "message", data };
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** The fields of one event; comments have none. */
function fieldsOf(part: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const line of part.split(/\r\n|\n|\r/)) {
    const [, name = "", value = ""] = /^([^:]+)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === "") continue;
    const before = fields.get(name);
    fields.set(name, name === "data" && before !== undefined ? `${before}\n${value}` : value);
  }
  return fields;
}

async function inTime<T>(reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("Nothing came for too long")), silence);
  });
  try {
    return await Promise.race([reading, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
