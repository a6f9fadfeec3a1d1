import { ConnectionError } from "./errors.ts";
import type { Open } from "./request.ts";
import { backoff, sleep } from "./retry.ts";
import { type ServerEvent, serverEvents } from "./server-events.ts";

interface Stream {
  readonly open: Open;
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for which the service may be unreachable. */
  readonly retryFor: number;
}

/**
 * The events of a stream, over as many connections as it takes: each goes on where the one before was lost. Ends when
 * the service refuses: it has no such stream, or no room for one more.
 */
export async function* lastingEvents(stream: Stream): AsyncGenerator<ServerEvent, void> {
  const { signal, retryFor, path } = stream;
  let place = "";
  let reachedAt = Date.now();
  for (let lost = 0; ; lost += 1) {
    const response = await connect(stream, place);
    if (response !== null && response.status !== 200) {
      await response.body?.cancel();
      return;
    }
    const events = response === null ? null : serverEvents(response);
    try {
      for (;;) {
        const next = events === null ? null : await nextOf(events, signal);
        if (next === null) break;
        place = next.id;
        reachedAt = Date.now();
        lost = 0;
        yield next;
      }
    } finally {
      await events?.return();
    }
    if (Date.now() - reachedAt > retryFor) {
      throw new ConnectionError(`The stream of ${path} was lost, and the service does not answer`);
    }
    await sleep(backoff(lost), signal);
  }
}

/** The next event; null: the connection was lost, or the service ended the stream. */
async function nextOf(
  events: AsyncGenerator<ServerEvent, void>,
  signal: AbortSignal | undefined,
): Promise<ServerEvent | null> {
  try {
    const next = await events.next();
    return next.done === true ? null : next.value;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return null;
  }
}

/** Connects to the stream; null: the service could not be reached. */
async function connect({ open, path, signal }: Stream, place: string): Promise<Response | null> {
  const headers = {
    accept: "text/event-stream",
    "last-event-id": place === "" ? undefined : place,
  };
  try {
    return await open({ method: "GET", path, headers, signal, repeat: "safe" });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return null;
  }
}
