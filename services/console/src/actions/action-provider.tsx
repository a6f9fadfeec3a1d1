import { createContext, type ReactNode, useContext, useId, useState } from "react";
import type { Action } from "./action.ts";
import { ActionDialog } from "./action-dialog.tsx";
import type { Offer } from "./task-actions.ts";

type Begin = (action: Action) => void;

const Context = createContext<Begin | null>(null);

/** Shows one dialog for all actions of all pages. */
export function ActionProvider({ children }: { readonly children: ReactNode }) {
  const [action, setAction] = useState<Action | null>(null);
  return (
    <Context value={setAction}>
      {children}
      {action !== null && <ActionDialog action={action} onClose={() => setAction(null)} />}
    </Context>
  );
}

/** Opens the dialog of an action. */
export function useAction(): Begin {
  const begin = useContext(Context);
  if (begin === null) throw new Error("There is no ActionProvider above.");
  return begin;
}

/** The button of an action. */
export function ActionButton({ action }: { readonly action: Action }) {
  const begin = useAction();
  return (
    <button
      type="button"
      className={action.isDangerous ? "button button-danger" : "button"}
      onClick={() => begin(action)}
    >
      {action.verb} …
    </button>
  );
}

/**
 * The button of something that may not apply now: then it says why, and stays reachable by keys. It
 * is one element in either case, so that it keeps the focus when an action has made itself
 * impossible.
 */
export function OfferButton({ offer: { verb, action, refusal } }: { readonly offer: Offer }) {
  const begin = useAction();
  const id = useId();
  const isOff = action === null;
  return (
    <button
      type="button"
      className={action?.isDangerous === true ? "button button-danger" : "button"}
      aria-disabled={isOff || undefined}
      aria-describedby={isOff ? id : undefined}
      title={refusal ?? undefined}
      onClick={() => action !== null && begin(action)}
    >
      {verb} …
      {isOff && (
        <span id={id} className="visually-hidden">
          {refusal}
        </span>
      )}
    </button>
  );
}
