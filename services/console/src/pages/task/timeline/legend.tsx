import type { Attempts } from "../../../api/types.ts";
import { Icon } from "../../../parts/icon.tsx";
import { attemptLooks, lookOf } from "../../../parts/state-looks.ts";

/** What the signs of the timeline mean: only those that are in it. */
export function Legend({ attempts }: { readonly attempts: Attempts }) {
  const outcomes = [...new Set(attempts.items.map(({ outcome }) => outcome))];
  return (
    <ul className="legend" aria-label="Signs">
      {outcomes.map((outcome) => {
        const { word, tone, icon } = lookOf(attemptLooks, outcome);
        return (
          <li key={outcome} className={`tone-${tone}`}>
            <span className={`legend-bar bar-${outcome}`} />
            <Icon name={icon} className={`tone-${tone}`} />
            {word.toLowerCase()}
          </li>
        );
      })}
      <li>
        <span className="legend-deadline" />
        complete-by
      </li>
      {attempts.waits.length > 0 && (
        <li>
          <span className="legend-wait" />
          wait
        </li>
      )}
      {attempts.lateReplies.length > 0 && (
        <li className="tone-warn">
          <span className="legend-late">×</span>
          {attempts.lateReplies.length} late{" "}
          {attempts.lateReplies.length === 1 ? "reply" : "replies"} refused
        </li>
      )}
    </ul>
  );
}
