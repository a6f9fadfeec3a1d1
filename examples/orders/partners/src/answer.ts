/** What a partner says to a request. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A partner that says no has done nothing; `code` is what programs go by. */
export const refusal = (status: number, code: string, message: string): Answer => ({
  status,
  body: { code, message },
});
