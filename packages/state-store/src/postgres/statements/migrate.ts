import type { Maybe } from "../maybe.ts";

/** What statements of sql/migrate take and return, as `npm run rows` finds it. */
export interface MigrateStatements {
  readonly "claim-installation": {
    readonly params: { readonly project: string | null; readonly takesOver: boolean | null };
    readonly row: { readonly project: Maybe<string> };
  };
  readonly "find-compatibility": {
    readonly params: object;
    readonly row: { readonly schemaVersion: number; readonly oldestReader: number };
  };
  readonly "find-installation": {
    readonly params: object;
    readonly row: { readonly project: Maybe<string>; readonly isUsed: Maybe<boolean> };
  };
  readonly "find-store-id": {
    readonly params: object;
    readonly row: { readonly id: Maybe<string> };
  };
}
