import type { Need, Overview } from "../../api/types.ts";
import { Link } from "../../app/router.tsx";
import { formatCount } from "../../parts/format.ts";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { Section } from "../../parts/section.tsx";
import type { Tone } from "../../parts/state-looks.ts";
import { Time } from "../../parts/time.tsx";

const looks: Readonly<Record<Need["kind"], { readonly icon: IconName; readonly tone: Tone }>> = {
  scheduler: { icon: "cross", tone: "bad" },
  broker: { icon: "cross", tone: "bad" },
  replies: { icon: "cross", tone: "bad" },
  supervisor: { icon: "cross", tone: "bad" },
  inbox: { icon: "cross", tone: "bad" },
  halted: { icon: "cross", tone: "bad" },
  breaker: { icon: "cut", tone: "bad" },
  deadLetters: { icon: "warn", tone: "bad" },
  refused: { icon: "warn", tone: "bad" },
  agentSilent: { icon: "warn", tone: "bad" },
  outbox: { icon: "late", tone: "warn" },
  alert: { icon: "warn", tone: "warn" },
  paused: { icon: "pause", tone: "warn" },
};
const unknown = { icon: "warn", tone: "warn" } as const;

/** What waits for a person, each with the page where it is repaired. */
export function NeedsYou({ overview: { needsYou } }: { readonly overview: Overview }) {
  return (
    <Section title="What needs you" note={needsYou.length > 0 && formatCount(needsYou.length)}>
      {needsYou.length === 0 ? (
        <p className="all-well">
          <Icon name="done" className="tone-good" /> Nothing: all goes on by itself.
        </p>
      ) : (
        <ul className="needs">
          {needsYou.map((need) => (
            <li key={`${need.kind} ${need.sentence}`}>
              <NeedLine need={need} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function NeedLine({ need: { kind, sentence, act, since, page } }: { readonly need: Need }) {
  const { icon, tone } = Object.hasOwn(looks, kind) ? looks[kind] : unknown;
  return (
    // A path of the console, whatever the service says.
    <Link to={page.startsWith("/") ? page : "/"} className={`need tone-${tone}`}>
      <Icon name={icon} className={`tone-${tone}`} />
      <span>
        {sentence}
        {act !== null && <small className="muted"> {act}</small>}
      </span>
      <small className="muted">{since !== null && <Time at={since} />}</small>
      <Icon name="right" />
    </Link>
  );
}
