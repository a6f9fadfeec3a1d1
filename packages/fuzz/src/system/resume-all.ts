import { queryOnce } from "@holdfast/local-stack";
import { operatorToken } from "@holdfast/local-system";

const headers = {
  "content-type": "application/json",
  authorization: `Bearer ${operatorToken}`,
};

interface Pause {
  readonly kind: "agent" | "workflow";
  readonly name: string;
}

/** Lifts every pause that an input has brought about, so that what is left can end. */
export async function resumeAll(operationsUrl: string, stateStoreUrl: string): Promise<void> {
  const resume = async (path: string, more: object): Promise<void> => {
    const body = JSON.stringify({ actor: "fuzz", reason: "the run is over", ...more });
    const response = await fetch(`${operationsUrl}${path}/resume`, {
      method: "POST",
      headers,
      body,
    });
    if (!response.ok) throw new Error(`${path} was not resumed: ${await response.text()}`);
  };
  const listed = await fetch(`${operationsUrl}/v1/pauses`, { headers });
  const { items } = (await listed.json()) as { readonly items: readonly Pause[] };
  for (const { kind, name } of items) await resume(`/v1/${kind}s/${encodeURIComponent(name)}`, {});
  const orders = await queryOnce<{ id: string; version: number }>(
    stateStoreUrl,
    `select task_id::text as id, version from state.tasks
      where paused_at is not null and process_state not in ('processed', 'compensated')`,
  );
  for (const { id, version } of orders) await resume(`/v1/orders/${id}`, { version });
}
