import { useNow } from "../../api/console-context.ts";
import type { Why } from "../../api/types.ts";
import { exactTime, shortTime, splitAtInstants } from "../../parts/format.ts";
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
    <section className={`why tone-${look.tone}`} aria-label="Why">
      <Icon name={look.icon} className={`tone-${look.tone}`} />
      <div>
        <p className="why-line" aria-live="polite">
          <Sentence text={why.sentence} />
        </p>
        {why.turnOf !== null && (
          <p className="why-turn">
            <Sentence text={why.turnOf} />
          </p>
        )}
        {why.evidence.length > 0 && (
          <details>
            <summary>What this is known from</summary>
            <ul>
              {why.evidence.map((line) => (
                <li key={line}>
                  <Sentence text={line} />
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </section>
  );
}

/** A sentence of the service, with its instants as a clock shows them here. */
function Sentence({ text }: { readonly text: string }) {
  const now = useNow();
  return splitAtInstants(text).map(({ words, at, index }) =>
    at === null ? (
      words
    ) : (
      <time key={index} dateTime={words} title={exactTime(at)}>
        {shortTime(at, now)}
      </time>
    ),
  );
}
