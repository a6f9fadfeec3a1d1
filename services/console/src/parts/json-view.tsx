import { useState } from "react";
import { CopyButton } from "./copy-button.tsx";
import { formatJson } from "./format.ts";

/** Characters that are shown at first: a payload has up to 256 KiB. */
const shownAtFirst = 4_000;

/** A JSON value as text, never as markup. */
export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }) {
  const [isWhole, setWhole] = useState(false);
  if (value === null || value === undefined) return <p className="json json-none">none</p>;
  const text = formatJson(value);
  const isLong = text.length > shownAtFirst;
  return (
    <div className="json">
      <pre tabIndex={0} aria-label={label}>
        {isLong && !isWhole ? `${text.slice(0, shownAtFirst)} …` : text}
      </pre>
      <div className="json-tools">
        {isLong && (
          <button type="button" className="link-button" onClick={() => setWhole(!isWhole)}>
            {isWhole ? "Less" : `All ${Math.ceil(text.length / 1024)} KiB`}
          </button>
        )}
        <CopyButton text={text} label={`Copy ${label}`} />
      </div>
    </div>
  );
}
