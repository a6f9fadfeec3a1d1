import { parseConfig, StateStoreUrl } from "@holdfast/runtime";
import { openInspector, type SubmittedFacts } from "@holdfast/state-store";
import { Type } from "typebox";
import type { Invocation } from "../api/verb.ts";
import { environmentFor } from "./settings.ts";

const Settings = Type.Object({ STATE_STORE_URL: StateStoreUrl });

/** Ids that are asked for at a time. */
const atATime = 1_000;

/** What the store itself knows of these ids. */
export async function submittedIn(
  invocation: Pick<Invocation, "text" | "io">,
  ids: readonly string[],
): Promise<readonly SubmittedFacts[]> {
  const { STATE_STORE_URL: url } = parseConfig(Settings, environmentFor(invocation));
  await using store = openInspector({ url, applicationName: "holdfast lost" });
  const found: SubmittedFacts[] = [];
  for (let from = 0; from < ids.length; from += atATime) {
    found.push(...(await store.findSubmitted(ids.slice(from, from + atATime))));
  }
  return found;
}
