import { eventStreamReader } from "./event-stream.ts";

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
  const read = eventStreamReader();
  let id = "";
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read());
      if (done) return;
      for (const { id: own, event, data } of read(decoder.decode(value, { stream: true }))) {
        id = own ?? id;
        if (data !== "") yield { id, event, data };
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
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
