import type { Approval } from "../../api/types.ts";
import { Badge } from "../../parts/badge.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { styleOf } from "../../parts/state-styles.ts";
import { Time } from "../../parts/time.tsx";
import { decisionStyles } from "./decision.ts";

/** Who decided what about a step, and why. */
export function Decisions({ decisions, step }: Pick<Approval, "decisions" | "step">) {
  if (decisions.length === 0) return <p className="card-none">No one has decided yet.</p>;
  return (
    <ul className="decisions" aria-label={`Decisions about ${step}`}>
      {decisions.map(({ id, name, decision, reason, form, at }) => (
        <li key={id}>
          <Badge style={styleOf(decisionStyles, decision)} />
          <span className="decision-who" title={id}>
            {name}
            {name !== id && <span className="muted"> · {id}</span>}
          </span>
          <span className="muted">
            <Time at={at} />
          </span>
          {reason !== null && <p className="long">{reason}</p>}
          {form !== null && <JsonView value={form} label={`what ${name} filled in`} />}
        </li>
      ))}
    </ul>
  );
}
