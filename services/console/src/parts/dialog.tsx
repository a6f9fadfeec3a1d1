import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Icon } from "./icon.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A modal dialog of the browser: it keeps the focus, and Escape closes it. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Not after it has left the page: closed by then, it would not give the focus back.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The browser chooses the first button otherwise: React sets no autofocus attribute.
    element?.querySelector<HTMLElement>("[data-first]")?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={id} onClose={onClose}>
      <header className="dialog-head">
        <h2 id={id}>{title}</h2>
        <button
          type="button"
          className="icon-button"
          aria-label="Close"
          onClick={() => dialog.current?.close()}
        >
          <Icon name="cross" />
        </button>
      </header>
      {children}
    </dialog>
  );
}
