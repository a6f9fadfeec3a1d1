/** A dead letter as it is kept. */
export interface KeptLetter {
  readonly id: string;
  readonly queue: string;
  readonly reason: string;
  readonly detail: string | null;
  readonly messageId: string | null;
  readonly type: string | null;
  readonly sender: string | null;
  readonly at: Date;
  /** Milliseconds since then, by the store's clock. */
  readonly age: number;
  /** Bytes of the message as it came, and those that are kept of it. */
  readonly size: number;
  readonly kept: number;
  /** The body; in a list only its beginning. */
  readonly body: Buffer;
  /** The properties as `DeadLetter` has them; null: they were not kept. */
  readonly properties: unknown;
}

export type LetterAction = "replay" | "discard";

/** What an operator does with a dead letter. */
export interface LetterWish {
  readonly id: string;
  readonly action: LetterAction;
  readonly actor: string;
  readonly reason: string;
}

/** What became of a dead letter. */
export interface LetterRecord extends LetterWish {
  readonly queue: string;
  readonly messageId: string | null;
  readonly type: string | null;
  readonly sender: string | null;
  readonly at: Date;
}

/** Messages that no service could use, and what operators did with them. A part of `StateStore`. */
export interface DeadLetterStore {
  /**
   * Finds at most `most` dead letters before one of them, newest first, with `shown` bytes of each body. Safe to
   * repeat.
   */
  findDeadLetters(page: {
    readonly queue: string | null;
    readonly before: string | null;
    readonly most: number;
    readonly shown: number;
  }): Promise<readonly KeptLetter[]>;
  /** Finds a dead letter; null: there is none of that number, or it was settled. Safe to repeat. */
  findDeadLetter(params: { readonly id: string }): Promise<KeptLetter | null>;
  /** Removes a dead letter and keeps who did what with it. Resolves to what became of it; null: there was none. Safe to repeat. */
  settleDeadLetter(wish: LetterWish): Promise<LetterAction | null>;
  /** What became of a dead letter; null: nothing did. Safe to repeat. */
  findDeadLetterAction(params: { readonly id: string }): Promise<LetterAction | null>;
  /** What became of dead letters, 200 at most. Safe to repeat. */
  findDeadLetterActions(): Promise<readonly LetterRecord[]>;
}
