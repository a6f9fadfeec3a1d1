import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { PeerName } from "./install-peers.ts";

/** Loads a peer's package from the folder that they are installed in; the workspace has none. */
export async function loadPeer<Exports>(folder: string, name: PeerName): Promise<Exports> {
  const { load } = await import(pathToFileURL(join(folder, "load.mjs")).href);
  return load(name);
}
