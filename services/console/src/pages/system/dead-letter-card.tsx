import { ActionButton } from "../../actions/action-provider.tsx";
import { deadLetterAction } from "../../actions/operation-actions.ts";
import type { DeadLetter } from "../../api/operations-types.ts";
import { setQuery } from "../../app/router.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Facts } from "../../parts/facts.tsx";
import { formatBytes } from "../../parts/format.ts";
import { Time } from "../../parts/time.tsx";

/** One dead letter. Its body is text, whatever it holds. */
export function DeadLetterCard({ letter }: { readonly letter: DeadLetter }) {
  const { queue, reason, detail, messageId, type, sender, size, at, body, replayable } = letter;
  const { id, whyNot } = letter;
  return (
    <li className="card letter">
      <header className="card-head">
        <h2 className="cut" title={reason}>
          {reason}
        </h2>
        <span className="muted">
          <Time at={at} />
        </span>
        <span className="end buttons">
          {replayable && <ActionButton action={deadLetterAction("replay", letter)} />}
          <ActionButton action={deadLetterAction("discard", letter)} />
        </span>
      </header>
      <div className="section-body">
        {detail !== null && <p className="long">{detail}</p>}
        <Facts
          facts={[
            [
              "Queue",
              <button type="button" className="link-button" onClick={() => setQuery({ queue })}>
                <code>{queue}</code>
              </button>,
            ],
            ["Type", type ?? "–"],
            ["Sender", sender ?? "–"],
            ["Message id", messageId === null ? "–" : <code>{messageId}</code>],
            ["Size", formatBytes(size)],
            ["Number", <code>{id}</code>],
            ...(whyNot === null ? [] : [["Replay", `not possible. ${whyNot}`] as const]),
          ]}
        />
        {body === null ? (
          <p className="muted">Its body is no text.</p>
        ) : (
          <div className="json">
            <pre tabIndex={0} aria-label="the body">
              {body}
            </pre>
            <div className="json-tools">
              <CopyButton text={body} label="Copy the body" />
            </div>
          </div>
        )}
      </div>
    </li>
  );
}
