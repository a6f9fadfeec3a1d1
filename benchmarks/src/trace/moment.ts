/** What happens to a step's message. */
export type MessagePoint = "published" | "confirmed" | "received";

/** When something happened to a message; one line of a tapped process tells several. */
export interface Moment {
  /** The message's type, as on the wire. */
  readonly type: string;
  /** The step's task, name and attempt, with colons between. */
  readonly messageId: string;
  readonly point: MessagePoint;
  /** Milliseconds since 1970, with fractions. */
  readonly at: number;
}

/** The `msg` of the lines with `moments`. */
export const tapped = "tapped";

/** Milliseconds since 1970, finer than `Date.now`. */
export const now = (): number => performance.timeOrigin + performance.now();
