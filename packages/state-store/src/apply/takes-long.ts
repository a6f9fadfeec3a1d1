/**
 * Something takes longer than a transaction may that keeps rows locked. It is rolled back, `finish` is called, and the
 * next transaction finds done what this one had no time for.
 */
export class TakesLong extends Error {
  readonly finish: () => Promise<void>;

  constructor(finish: () => Promise<void>) {
    super("A transaction would keep rows locked for too long");
    this.finish = finish;
  }
}

/** Runs a transaction, and runs it again for as long as something in it takes long. */
export async function untilQuick<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await transaction();
    } catch (error) {
      if (!(error instanceof TakesLong)) throw error;
      await error.finish();
    }
  }
}
