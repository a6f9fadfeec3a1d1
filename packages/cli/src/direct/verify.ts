import type { components } from "@holdfast/client";
import { verificationResource, verifyStore } from "@holdfast/diagnosis";
import { parseConfig, StateStoreUrl } from "@holdfast/runtime";
import { openInspector } from "@holdfast/state-store";
import { Type } from "typebox";
import type { Invocation } from "../api/verb.ts";
import { durationOf, environmentFor } from "./settings.ts";

const Settings = Type.Object({ STATE_STORE_URL: StateStoreUrl });

/** Looks for what must never be. */
export async function verify(
  invocation: Pick<Invocation, "text" | "io">,
): Promise<components["schemas"]["Verification"]> {
  const since = durationOf(invocation, "since");
  const { STATE_STORE_URL: url } = parseConfig(Settings, environmentFor(invocation));
  await using store = openInspector({ url, applicationName: "holdfast verify" });
  const found = await verifyStore(store, { since });
  const { violations, ...resource } = verificationResource(found, new Date().toISOString());
  return { ...resource, violations: [...violations] };
}
