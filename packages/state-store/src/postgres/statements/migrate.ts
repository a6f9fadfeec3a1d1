/** What the statements of sql/migrate take and return. Written by `npm run rows`, from the database. */
export interface MigrateStatements {
  readonly "find-compatibility": {
    readonly params: object;
    readonly row: { readonly schemaVersion: number; readonly oldestReader: number };
  };
}
