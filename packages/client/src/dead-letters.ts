import { pageQuery, readPages } from "./pages.ts";
import type { Send } from "./request.ts";
import type { ActOptions, DeadLetter, DeadLetterAction, DeadLetterPage } from "./types.ts";

type Act = Pick<ActOptions, "reason" | "actor" | "signal">;

/** Messages that no service could use, for operators. */
export interface DeadLetterCalls {
  /** A page, latest first: 20 unless said otherwise, and at most 100. */
  list(page?: {
    readonly queue?: string;
    readonly limit?: number;
    /** What the page before named as its `next`. */
    readonly after?: string | null;
  }): Promise<DeadLetterPage>;
  /** One of them, with the first MiB of its body. */
  get(id: string): Promise<DeadLetter>;
  /** Who sent which of them once more or discarded them, and why: all pages of it. */
  actions(): Promise<readonly DeadLetterAction[]>;
  /** Sends one once more, as it came. Safe to repeat. */
  replay(id: string, how: Act): Promise<void>;
  /** Deletes one for good. Safe to repeat. */
  discard(id: string, how: Act): Promise<void>;
}

const path = "/v1/dead-letters";

export function deadLetterCalls(send: Send, usualActor: string): DeadLetterCalls {
  const act =
    (what: string) =>
    async (id: string, { reason, actor = usualActor, signal }: Act): Promise<void> =>
      void (await send({
        method: "POST",
        path: `${path}/${encodeURIComponent(id)}/${what}`,
        body: { reason, actor },
        signal,
        repeat: "safe",
      }));
  return {
    async list({ queue, ...page } = {}) {
      const query = { queue, ...pageQuery(page) };
      return (await send<DeadLetterPage>({ method: "GET", path, query, repeat: "safe" })).body;
    },
    get: async (id) =>
      (
        await send<DeadLetter>({
          method: "GET",
          path: `${path}/${encodeURIComponent(id)}`,
          repeat: "safe",
        })
      ).body,
    actions: () => readPages<DeadLetterAction>(send, "/v1/dead-letter-actions", { limit: 500 }),
    replay: act("replay"),
    discard: act("discard"),
  };
}
