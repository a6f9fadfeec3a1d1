import { formatCount } from "./format.ts";
import type { Tone } from "./state-styles.ts";

export interface Share {
  readonly word: string;
  readonly count: number;
  readonly tone: Tone;
}

/** How a whole is divided: a bar, and below it the same in words. */
export function ShareBar({
  shares,
  label,
}: {
  readonly shares: readonly Share[];
  readonly label: string;
}) {
  const all = shares.reduce((sum, { count }) => sum + count, 0);
  const starts = shares.map((_, index) =>
    shares.slice(0, index).reduce((sum, { count }) => sum + count, 0),
  );
  return (
    <div className="shares">
      <svg
        className="shares-bar"
        viewBox={`0 0 ${Math.max(all, 1)} 1`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${shares.map(({ word, count }) => `${count} ${word}`).join(", ")}`}
      >
        {shares.map(({ word, count, tone }, index) => (
          <rect key={word} className={`tone-${tone}`} x={starts[index]} width={count} height={1} />
        ))}
      </svg>
      <ul className="shares-words">
        {shares.map(({ word, count, tone }) => (
          <li key={word}>
            <span className={`shares-sign tone-${tone}`} aria-hidden="true" />
            <strong>{formatCount(count)}</strong> {word}
          </li>
        ))}
      </ul>
    </div>
  );
}
