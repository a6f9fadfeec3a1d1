/**
 * How much of the work of a large test this run takes; `tools/scope.mjs` says what the words mean.
 */
export interface TestScope {
  readonly kind: "usual" | "all" | "tenth";
  /** A number from 0 to 9: that of the scope `tenth`; in the usual one that of this day. */
  readonly tenth: number;
}

/** The scope of this run: the usual one where it was not started by `npm test` or its kind. */
export function testScope(): TestScope {
  const { HOLDFAST_SCOPE: kind = "usual", HOLDFAST_TENTH: tenth = "0" } = process.env;
  return { kind: kind as TestScope["kind"], tenth: Number(tenth) };
}
