import { createContext, useContext, useSyncExternalStore } from "react";
import type { Live } from "../live/open-live.ts";
import type { Api } from "./api.ts";
import type { Contact, ContactLog } from "./contact.ts";
import type { Session, SessionStore } from "./session.ts";
import type { Ticker } from "./ticker.ts";

/** What every page uses. */
export interface ConsoleParts {
  readonly api: Api;
  readonly session: SessionStore;
  readonly contact: ContactLog;
  readonly live: Live;
  readonly ticker: Ticker;
}

const Context = createContext<ConsoleParts | null>(null);
export const ConsoleProvider = Context.Provider;

export function useConsole(): ConsoleParts {
  const parts = useContext(Context);
  if (parts === null) throw new Error("There is no ConsoleProvider above.");
  return parts;
}

export function useSession(): Session {
  const { session } = useConsole();
  return useSyncExternalStore(session.subscribe, session.get);
}

export function useContact(): Contact {
  const { contact } = useConsole();
  return useSyncExternalStore(contact.subscribe, contact.get);
}

/** The time of the service now: renders again each second. */
export function useNow(): number {
  const { ticker } = useConsole();
  return useSyncExternalStore(ticker.subscribe, ticker.get);
}
