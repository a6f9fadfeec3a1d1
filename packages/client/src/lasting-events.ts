import { ConnectionError, isProblem, RequestError } from "./errors.ts";
import { isPassing, type Open, parse } from "./request.ts";
import { backoff, sleep, within } from "./retry.ts";
import { type ServerEvent, serverEvents } from "./server-events.ts";

interface Stream {
  readonly open: Open;
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for which the service may be unreachable. */
  readonly retryFor: number;
}

/**
 * The events of a stream, over as many connections as it takes: each goes on where the one before
 * was lost. Ends when the service refuses: it has no such stream, or no room for one more.
 */
export async function* lastingEvents(stream: Stream): AsyncGenerator<ServerEvent, void> {
  const { signal, retryFor, path } = stream;
  let place = "";
  let reachedAt = Date.now();
  for (let lost = 0; ; lost += 1) {
    const left = Math.max(1, retryFor - (Date.now() - reachedAt));
    const response = await connect(stream, place, left);
    if (response === "refused") return;
    const events = response === "lost" ? null : serverEvents(response, { first: left });
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

/**
 * Connects to the stream within a time; or says that the service was not reached, or that it
 * refuses.
 */
async function connect(
  { open, path, signal }: Stream,
  place: string,
  ms: number,
): Promise<Response | "lost" | "refused"> {
  const headers = {
    accept: "text/event-stream",
    "last-event-id": place === "" ? undefined : place,
  };
  try {
    const response = await open({ method: "GET", path, headers, signal, repeat: "safe" }, ms);
    const { status } = response;
    if (status === 200) return response;
    const text = await within(ms, signal, () => response.text());
    // What stands before the service speaks for itself: the service refuses with a problem.
    return isPassing(status) && !isProblem(parse(text)) ? "lost" : "refused";
  } catch (error) {
    if (signal?.aborted === true || error instanceof RequestError) throw error;
    return "lost";
  }
}
