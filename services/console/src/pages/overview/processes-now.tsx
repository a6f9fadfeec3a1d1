import { useNow } from "../../api/console-context.ts";
import type { InstanceSeen, Overview } from "../../api/types.ts";
import { Icon } from "../../parts/icon.tsx";
import { Section } from "../../parts/section.tsx";
import { Time } from "../../parts/time.tsx";

/** A process reports each 5 s: after this it is missed. */
const silentAfter = 20_000;

/** The Schedulers and Supervisors that have reported, and when. */
export function ProcessesNow({ overview }: { readonly overview: Overview }) {
  const { schedulers, supervisors } = overview;
  return (
    <div className="pair">
      <Processes title="Schedulers" all={schedulers} />
      <Processes title="Supervisors" all={supervisors} />
    </div>
  );
}

interface Props {
  readonly title: string;
  readonly all: readonly InstanceSeen[];
}

function Processes({ title, all }: Props) {
  const now = useNow();
  return (
    <Section title={title} note={all.length}>
      {all.length === 0 && (
        <p className="card-none">
          <Icon name="warn" className="tone-bad" /> None has reported: see what needs you.
        </p>
      )}
      <ul className="processes">
        {all.map(({ instance, seenAt }) => {
          const isSilent = now - Date.parse(seenAt) > silentAfter;
          return (
            <li key={instance}>
              <Icon
                name={isSilent ? "warn" : "done"}
                className={isSilent ? "tone-bad" : "tone-good"}
              />
              <code title={instance}>{instance}</code>
              <span className="muted">
                <Time at={seenAt} />
              </span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
