import { queryOnce } from "@holdfast/local-stack";
import { operatorToken } from "@holdfast/processes";

const headers = {
  "content-type": "application/json",
  authorization: `Bearer ${operatorToken}`,
};

interface Remote {
  readonly name: string;
  readonly breaker: string;
  /** The instant until which its Agents asked that it be left alone. */
  readonly throttledUntil: string | null;
}

interface Pause {
  readonly kind: "agent" | "workflow";
  readonly name: string;
}

/**
 * Lifts every pause, closes every breaker, ends every long delay and every request of a remote
 * service to be left alone that an input has brought about, so that what is left can end.
 */
export async function resumeAll(operationsUrl: string, stateStoreUrl: string): Promise<void> {
  const post = poster(operationsUrl);
  const listed = await fetch(`${operationsUrl}/v1/pauses`, { headers });
  const { items } = (await listed.json()) as { readonly items: readonly Pause[] };
  for (const { kind, name } of items) {
    await post(`/v1/${kind}s/${encodeURIComponent(name)}/resume`);
  }
  await releaseRemotes(operationsUrl);
  const orders = await queryOnce<{ id: string; version: number }>(
    stateStoreUrl,
    `select task_id::text as id, version from state.tasks
      where paused_at is not null and process_state not in ('processed', 'undone')`,
  );
  for (const { id, version } of orders) await post(`/v1/tasks/${id}/resume`, version);
  // An Agent may ask for an hour.
  const delayed = await queryOnce<{ id: string; version: number; step: string }>(
    stateStoreUrl,
    `select distinct on (task_id) task_id::text as id, t.version, s.name as step
       from state.tasks t join state.steps s using (task_id)
      where s.process_state = 'pending' and s.not_before > clock_timestamp() + interval '5 s'`,
  );
  for (const { id, version, step } of delayed) {
    await post(`/v1/tasks/${id}/steps/${encodeURIComponent(step)}/retry`, version);
  }
}

/** Closes every breaker, and ends every request of a remote service to be left alone. */
export async function releaseRemotes(operationsUrl: string): Promise<void> {
  const post = poster(operationsUrl);
  const remotes = await fetch(`${operationsUrl}/v1/remotes`, { headers });
  const { items: services } = (await remotes.json()) as { readonly items: readonly Remote[] };
  for (const { name, breaker, throttledUntil } of services) {
    const isThrottled = throttledUntil !== null && Date.parse(throttledUntil) > Date.now();
    if (breaker === "closed" && !isThrottled) continue;
    await post(`/v1/remotes/${encodeURIComponent(name)}/release`);
  }
}

const poster =
  (operationsUrl: string) =>
  async (path: string, version?: number): Promise<void> => {
    const body = JSON.stringify({ actor: "fuzz", reason: "so that the run goes on" });
    const seen = version === undefined ? {} : { "if-match": `"${version}"` };
    const response = await fetch(`${operationsUrl}${path}`, {
      method: "POST",
      headers: { ...headers, ...seen },
      body,
    });
    // What was under way has moved it on. It is looked at again.
    if (response.ok || response.status === 409 || response.status === 412) return;
    throw new Error(`${path} was refused: ${await response.text()}`);
  };
