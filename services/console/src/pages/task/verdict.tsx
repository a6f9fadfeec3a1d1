import type { Why } from "../../api/types.ts";
import { Icon } from "../../parts/icon.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { lookOf, taskLooks } from "../../parts/state-looks.ts";

interface Props {
  readonly why: Why | undefined;
  readonly error: unknown;
}

/** Why the task stands as it stands, in one sentence, and what that is known from. */
export function Verdict({ why, error }: Props) {
  if (why === undefined) return error === null ? null : <ProblemNote error={error} />;
  const look = lookOf(taskLooks, why.state);
  return (
    <section className={`verdict tone-${look.tone}`} aria-label="Why">
      <Icon name={look.icon} className={`tone-${look.tone}`} />
      <div>
        <p className="verdict-line" aria-live="polite">
          {why.sentence}
        </p>
        {why.turnOf !== null && <p className="verdict-turn">{why.turnOf}</p>}
        {why.evidence.length > 0 && (
          <details>
            <summary>What this is known from</summary>
            <ul>
              {why.evidence.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </section>
  );
}
