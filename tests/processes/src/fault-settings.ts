import type { System } from "./start-system.ts";

/** How badly a partner behaves from now on; what is not given is well-behaved. */
export interface PartnerFaults {
  readonly errorRate?: number;
  readonly latencyMs?: number | { readonly min: number; readonly max: number };
  readonly holdMs?: number;
  readonly applyThenDropRate?: number;
  readonly down?: boolean;
}

/** Replaces all fault settings of a partner. */
export async function setFaultSettings(
  { partnersUrl }: Pick<System, "partnersUrl">,
  partner: string,
  settings: PartnerFaults,
): Promise<void> {
  const response = await fetch(`${partnersUrl}/fault-settings/${partner}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(settings),
  });
  if (!response.ok) throw new Error(`${partner} refused its fault settings: ${response.status}`);
}

/** The fault settings of all partners. */
export async function readFaultSettings({
  partnersUrl,
}: Pick<System, "partnersUrl">): Promise<Readonly<Record<string, PartnerFaults>>> {
  const response = await fetch(`${partnersUrl}/fault-settings`);
  return (await response.json()) as Readonly<Record<string, PartnerFaults>>;
}
