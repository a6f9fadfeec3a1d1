/** For tests in TypeScript: `scope.mjs` is read by Node 20, too, which knows no types. */
export type Scope = "usual" | "all" | number;
export function readScope(): Scope;
export function tenthOfToday(): number;
