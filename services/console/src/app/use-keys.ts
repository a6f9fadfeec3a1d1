import { useEffect } from "react";

/** Elements in which a key is a letter. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/**
 * Calls back for keys that are pressed outside of fields and dialogs. `g t` is the key t after g.
 */
export function useKeys(keys: Readonly<Record<string, (event: KeyboardEvent) => void>>): void {
  useEffect(() => {
    let before = "";
    let beforeAt = 0;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event.target) || document.querySelector("dialog[open]") !== null) return;
      const pair = event.timeStamp - beforeAt < 1_000 ? `${before} ${event.key}` : "";
      const act = keys[pair] ?? keys[event.key];
      before = event.key;
      beforeAt = event.timeStamp;
      if (act === undefined) return;
      event.preventDefault();
      act(event);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [keys]);
}
