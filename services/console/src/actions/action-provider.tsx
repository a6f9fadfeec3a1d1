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

/** The button of something that may not apply now: then it says why, and stays reachable by keys. */
export function OfferButton({ offer: { verb, action, refusal } }: { readonly offer: Offer }) {
  const id = useId();
  if (action !== null) return <ActionButton action={action} />;
  return (
    <button
      type="button"
      className="button"
      aria-disabled="true"
      aria-describedby={id}
      title={refusal ?? undefined}
    >
      {verb} …
      <span id={id} className="visually-hidden">
        {refusal}
      </span>
    </button>
  );
}
