import { type Observable, observable } from "./observable.ts";

/** Who looks at the console, for as long as the tab is open. */
export interface Session {
  /** `asking`: the service wants a token. */
  readonly status: "probing" | "asking" | "ready";
  /** The holder of the token: operators, who see all, or one of those who decide. */
  readonly role: Role;
  /** The token; null: the service was asked without one. */
  readonly token: string | null;
  /** The token in the link that led here, for the form; null: it had none. */
  readonly offered: string | null;
  /** Who acts, for the history of tasks. */
  readonly actor: string;
}

export type Role = "operator" | "principal";

/** What is signed in with. */
interface SignIn extends Pick<Session, "actor" | "role"> {
  readonly token: string;
}

type Storage = Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem">;

export interface SessionStore extends Observable<Session> {
  signIn(signedIn: SignIn): void;
  signOut(): void;
}

const keys = { token: "holdfast.token", actor: "holdfast.actor", role: "holdfast.role" };

/**
 * Keeps the token in this tab only: another tab, and a later start of the browser, asks again. A
 * link that has a token after its # has it shown in the form.
 */
export function openSession(storage: Storage, hash = ""): SessionStore {
  const token = storage.getItem(keys.token);
  const offered = /^#token=([\w.-]+)$/.exec(hash)?.[1] ?? null;
  const state = observable<Session>({
    status: token === null ? "probing" : "ready",
    role: storage.getItem(keys.role) === "principal" ? "principal" : "operator",
    token,
    offered,
    actor: storage.getItem(keys.actor) ?? "",
  });
  return {
    ...state,
    signIn(signedIn) {
      storage.setItem(keys.token, signedIn.token);
      storage.setItem(keys.actor, signedIn.actor);
      storage.setItem(keys.role, signedIn.role);
      state.set({ status: "ready", offered: null, ...signedIn });
    },
    signOut() {
      storage.removeItem(keys.token);
      storage.removeItem(keys.role);
      state.set({ ...state.get(), status: "asking", role: "operator", token: null });
    },
  };
}
