import { useState } from "react";
import { Icon } from "./icon.tsx";

/** Copies a text, and says so only when the browser has done it. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [state, setState] = useState<"idle" | "done" | "refused">("idle");
  const copy = async (): Promise<void> => {
    // Browsers offer the clipboard to pages of this host and of HTTPS only.
    const written = await (navigator.clipboard as Clipboard | undefined)?.writeText(text).then(
      () => true,
      () => false,
    );
    setState(written === true ? "done" : "refused");
    setTimeout(() => setState("idle"), 1_500);
  };
  const words = { idle: label, done: "Copied", refused: "Select and copy it yourself" } as const;
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={words[state]}
      title={words[state]}
      onClick={() => void copy()}
    >
      <Icon name={state === "done" ? "done" : "copy"} />
    </button>
  );
}
