import { Agent, request } from "node:http";

/** An order as it goes over HTTP. */
interface PostedOrder {
  /** Its idempotency key: submitting it again under the same key creates no second task. */
  readonly key: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Submits an order to the service at the URL. Resolves to its answer; null: there was none in time.
 */
export type PostOrder = (url: string, order: PostedOrder) => Promise<HttpAnswer | null>;

interface PosterOptions {
  /** Connections to one service at most; requests beyond that wait for one. */
  readonly connections?: number;
  /** Milliseconds after which a request counts as unanswered. */
  readonly answerWithin?: number;
  /** Learns why a request has no answer. */
  readonly unanswered?: (reason: Error) => void;
}

/**
 * Posts orders by `node:http`, with connections that are kept: `fetch` takes more CPU than the
 * service that is measured.
 */
export function orderPoster(options: PosterOptions = {}): PostOrder {
  const { connections = 100, answerWithin = 8_000, unanswered = () => {} } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return (url, { key, body, headers = {} }) =>
    new Promise((resolve) => {
      const lost = (reason: Error): void => {
        unanswered(reason);
        resolve(null);
      };
      request(new URL("/v1/orders", url), {
        agent,
        method: "POST",
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          "idempotency-key": key,
          ...headers,
        },
        signal: AbortSignal.timeout(answerWithin),
      })
        .on("response", (response) => {
          const parts: Buffer[] = [];
          response
            .on("data", (part: Buffer) => parts.push(part))
            .on("end", () =>
              resolve({
                status: response.statusCode ?? 0,
                body: Buffer.concat(parts).toString("utf8"),
              }),
            )
            .on("error", lost);
        })
        .on("error", lost)
        .end(body);
    });
}

/** The id of the task that an accepted order became. */
export const taskIdOf = ({ body }: HttpAnswer): string =>
  (JSON.parse(body) as { readonly id: string }).id;
