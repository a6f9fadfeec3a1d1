/** One thing that was looked at. */
export interface Finding {
  /** What, as `area.what`: stable, for scripts. */
  readonly code: string;
  /** `unseen`: it could not be looked at. */
  readonly state: "fine" | "wrong" | "unseen";
  readonly text: string;
  /** What to do about it; null: nothing. */
  readonly advice: string | null;
}

export const fine = (code: string, text: string): Finding => ({
  code,
  state: "fine",
  text,
  advice: null,
});

export const wrong = (code: string, text: string, advice: string): Finding => ({
  code,
  state: "wrong",
  text,
  advice,
});

export const unseen = (code: string, text: string, advice: string): Finding => ({
  code,
  state: "unseen",
  text,
  advice,
});

/** What is wrong, or that all is well when nothing is. */
export const orFine = (
  findings: readonly Finding[],
  code: string,
  text: string,
): readonly Finding[] => (findings.length > 0 ? findings : [fine(code, text)]);
