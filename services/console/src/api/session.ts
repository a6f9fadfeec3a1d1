import { type Observable, observable } from "./observable.ts";

/** Who looks at the console, for as long as the tab is open. */
export interface Session {
  /** `asking`: the service wants the operators' token. */
  readonly status: "probing" | "asking" | "ready";
  /** The token; null: the service was asked without one. */
  readonly token: string | null;
  /** The token in the link that led here, for the form; null: it had none. */
  readonly offered: string | null;
  /** Who acts, for the history of tasks. */
  readonly actor: string;
}

type Storage = Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem">;

export interface SessionStore extends Observable<Session> {
  signIn(token: string, actor: string): void;
  signOut(): void;
}

const keys = { token: "holdfast.token", actor: "holdfast.actor" };

/**
 * Keeps the token in this tab only: another tab, and a later start of the browser, asks again. A
 * link that has a token after its # has it shown in the form.
 */
export function openSession(storage: Storage, hash = ""): SessionStore {
  const token = storage.getItem(keys.token);
  const offered = /^#token=([\w-]+)$/.exec(hash)?.[1] ?? null;
  const state = observable<Session>({
    status: token === null ? "probing" : "ready",
    token,
    offered,
    actor: storage.getItem(keys.actor) ?? "",
  });
  return {
    ...state,
    signIn(newToken, actor) {
      storage.setItem(keys.token, newToken);
      storage.setItem(keys.actor, actor);
      state.set({ status: "ready", token: newToken, offered: null, actor });
    },
    signOut() {
      storage.removeItem(keys.token);
      state.set({ ...state.get(), status: "asking", token: null });
    },
  };
}
