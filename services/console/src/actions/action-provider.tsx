import { createContext, type ReactNode, useContext, useState } from "react";
import type { Action } from "./action.ts";
import { ActionDialog } from "./action-dialog.tsx";

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
