import { type FormEvent, useEffect, useId, useState } from "react";
import type { Api } from "../api/api.ts";
import { call } from "../api/call.ts";
import { useConsole, useSession } from "../api/console-context.ts";
import { ProblemFault } from "../api/faults.ts";
import type { Role } from "../api/session.ts";
import { Loading } from "../parts/loading.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";

/** A route that only operators may ask, and that costs the service little. */
const probe = call("get", "/v1/pauses", {});

/** A route that operators and those may ask who decide. */
const ownProbe = call("get", "/v1/approvals", { query: { limit: 1 } });

/** Asks for a token where the service wants one. It stays in this tab. */
export function SignIn() {
  const { status } = useSession();
  return status === "probing" ? <Probe /> : <TokenForm />;
}

/** Finds out whether the service wants a token: asks without one, which counts as no try. */
function Probe() {
  const { api, session } = useConsole();
  const [error, setError] = useState<unknown>(null);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    api.ask(probe, stop.signal).then(
      () => session.set({ ...session.get(), status: "ready" }),
      (fault: unknown) => {
        if (stop.signal.aborted) return;
        setError(fault);
        if (fault instanceof ProblemFault && fault.status < 500) return;
        timer = setTimeout(() => setTries(tries + 1), 2_000);
      },
    );
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [api, session, tries]);
  if (error === null) return <Loading />;
  // Without operators there are those who decide.
  const isDisabled = error instanceof ProblemFault && error.code === "auth.disabled";
  return (
    <>
      <ProblemNote error={error} />
      {isDisabled && <TokenForm />}
    </>
  );
}

/** The holder of a token. Throws what the service says of one that it does not take. */
async function roleOf(api: Api, headers: Readonly<Record<string, string>>): Promise<Role> {
  try {
    await api.ask({ ...probe, headers });
    return "operator";
  } catch (fault) {
    if (!(fault instanceof ProblemFault) || fault.status !== 403) throw fault;
    await api.ask({ ...ownProbe, headers });
    return "principal";
  }
}

function TokenForm() {
  const { api, session } = useConsole();
  const { actor: known, offered } = useSession();
  const [token, setToken] = useState(offered ?? "");
  const [actor, setActor] = useState(known);
  const [error, setError] = useState<unknown>(null);
  const [isAsking, setAsking] = useState(false);
  const ids = { token: useId(), actor: useId() };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setAsking(true);
    setError(null);
    const headers = { authorization: `Bearer ${token.trim()}` };
    try {
      const role = await roleOf(api, headers);
      session.signIn({ token: token.trim(), actor: actor.trim(), role });
    } catch (fault) {
      setError(fault);
      setAsking(false);
    }
  };
  return (
    <form className="sign-in card" onSubmit={(event) => void submit(event)}>
      <h1>Who are you?</h1>
      <p className="muted">
        This service asks for the operators’ token, or for a key or a token of your own, with which
        you decide. It stays in this tab and is forgotten when you close it.
      </p>
      <label htmlFor={ids.actor}>Your name</label>
      <input
        id={ids.actor}
        value={actor}
        required
        maxLength={100}
        autoComplete="username"
        placeholder="ada@example.com"
        onChange={(event) => setActor(event.target.value)}
      />
      <p className="hint">Each action is kept in the history under this name.</p>
      <label htmlFor={ids.token}>Token or key</label>
      <input
        id={ids.token}
        type="password"
        value={token}
        required
        autoComplete="current-password"
        onChange={(event) => setToken(event.target.value)}
      />
      {error !== null && <ProblemNote error={error} />}
      <button type="submit" className="button button-primary" disabled={isAsking}>
        {isAsking ? "Asking …" : "Continue"}
      </button>
    </form>
  );
}
