/** The remote services that are played here. */
export const partners = ["inventory", "payments", "shipping", "notifications"] as const;
export type Partner = (typeof partners)[number];

/** How much of what an effect moved: articles by SKU, money in minor units by currency. */
export type Amounts = Readonly<Record<string, number>>;

interface Entry {
  readonly seq: number;
  /** ISO 8601, by this host's clock: for people. */
  readonly at: string;
  readonly partner: Partner;
  /** What was made, such as `charges`: keys are known to one resource only. */
  readonly resource: string;
  /** The idempotency key of the request that did it. */
  readonly key: string;
}

interface Applied extends Entry {
  readonly kind: "applied";
  readonly requestHash: string;
  readonly amounts: Amounts;
  readonly answer: Readonly<Record<string, string | number>>;
}

interface Undone extends Entry {
  readonly kind: "undone";
  readonly amounts: Amounts;
}

/** The undo came before the do, which from now on is refused for ever. */
interface Tombstone extends Entry {
  readonly kind: "tombstone";
}

/** What happened at a partner. Entries are added and never changed. */
export type LedgerEntry = Applied | Undone | Tombstone;

type WithoutPlace<E> = E extends LedgerEntry ? Omit<E, "seq" | "at"> : never;
/** An entry before it has its place in the ledger. */
export type NewEntry = WithoutPlace<LedgerEntry>;
