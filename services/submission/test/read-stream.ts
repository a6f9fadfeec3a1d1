import { type IncomingMessage, request } from "node:http";

/** An event as a client reads it. */
interface ReadEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** A client for tests that reads a stream of events. */
export interface StreamClient extends AsyncDisposable {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  /** All that has come. */
  readonly text: () => string;
  readonly events: () => readonly ReadEvent[];
  /** Resolves when what has come is enough, and rejects if the stream ends before. */
  until(isEnough: (client: StreamClient) => boolean): Promise<void>;
  /** Resolves when the stream has ended or was dropped. */
  readonly closed: Promise<void>;
  /** Stops reading. */
  pause(): void;
}

export async function readStream(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<StreamClient> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const asking = request(url, { headers, agent: false }, resolve).once("error", reject).end();
  const response = await promise;
  asking.on("error", () => {});
  let text = "";
  const waiting = new Set<() => void>();
  const closed = new Promise<void>((ended) => {
    response.once("close", ended);
  });
  response.on("error", () => {});
  const events: ReadEvent[] = [];
  let parsed = 0;
  response.setEncoding("utf8").on("data", (part: string) => {
    text += part;
    const end = text.lastIndexOf("\n\n");
    if (end > parsed) events.push(...eventsOf(text.slice(parsed, end + 2)));
    parsed = Math.max(parsed, end);
    for (const look of waiting) look();
  });
  const client: StreamClient = {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    events: () => events,
    async until(isEnough) {
      const enough = Promise.withResolvers<void>();
      const look = () => {
        if (isEnough(client)) enough.resolve();
      };
      waiting.add(look);
      look();
      await Promise.race([enough.promise, closed]);
      waiting.delete(look);
      if (!isEnough(client)) throw new Error(`The stream ended: ${text}`);
    },
    closed,
    pause: () => void response.pause(),
    [Symbol.asyncDispose]: async () => {
      asking.destroy();
      await closed;
    },
  };
  return client;
}

function eventsOf(text: string): readonly ReadEvent[] {
  const whole = text.split("\n\n").slice(0, -1);
  return whole.flatMap((part) => {
    const data = /^data: (.*)$/m.exec(part)?.[1];
    if (data === undefined) return [];
    const id = /^id: (.*)$/m.exec(part)?.[1] ?? null;
    return [{ id, event: /^event: (.*)$/m.exec(part)?.[1] ?? "", data: JSON.parse(data) }];
  });
}
