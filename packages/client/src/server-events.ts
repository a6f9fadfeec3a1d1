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

interface Timeout {
  /** Milliseconds until the first line has to be there: the service begins with one at once. */
  readonly first: number;
}

/**
 * The events of an answer, as they come. Ends with the stream, and throws when the connection
 * breaks or when nothing comes for too long.
 */
export async function* serverEvents(
  { body }: Response,
  { first }: Timeout,
): AsyncGenerator<ServerEvent, void> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const read = eventStreamReader();
  let id = "";
  const begun = Date.now();
  let hasBegun = false;
  try {
    for (;;) {
      const ms = hasBegun ? silence : Math.min(silence, Math.max(1, first - (Date.now() - begun)));
      const { done, value } = await inTime(reader.read(), ms);
      if (done) return;
      const found = read(decoder.decode(value, { stream: true }));
      hasBegun ||= found.length > 0;
      for (const { id: own, event, data } of found) {
        id = own ?? id;
        if (data !== "") yield { id, event, data };
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function inTime<T>(reading: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("Nothing came for too long")), ms);
  });
  try {
    return await Promise.race([reading, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
