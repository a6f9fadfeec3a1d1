import { count } from "@holdfast/diagnosis";
import { parseConfig, StateStoreUrl } from "@holdfast/runtime";
import { migrate as migrateStore, openInspector } from "@holdfast/state-store";
import { Type } from "typebox";
import type { Invocation, Outcome } from "../api/verb.ts";
import { environmentFor } from "../direct/settings.ts";

const Settings = Type.Object({ STATE_STORE_URL: StateStoreUrl });

/** Brings the state store to the schema of this release. */
export async function migrate(invocation: Pick<Invocation, "text" | "io">): Promise<Outcome> {
  const { STATE_STORE_URL: url } = parseConfig(Settings, environmentFor(invocation));
  // It says as a `Fault` why a server does not answer, or refuses this user.
  await using store = openInspector({ url, applicationName: "holdfast migrate" });
  await store.findServer();
  const ran = await migrateStore(url, {
    onWait: ({ what, error }) => invocation.io.err(`${what} waits for a lock: ${error}\n`),
  });
  const text =
    ran.length === 0
      ? "The state store was up to date."
      : [...ran, `${count(ran.length, "migration")} ran.`].join("\n");
  return { value: { ran }, items: ran.map((name) => ({ name })), text };
}
