export type Rule =
  | "circle"
  | "function size"
  | "direction"
  | "third party"
  | "entry"
  | "doc comment"
  | "comment width";

/** One breach of a rule. */
export interface Finding {
  readonly rule: Rule;
  /** What an exception names: a file, a function, an import or the members of a circle. */
  readonly subject: string;
  readonly message: string;
}
