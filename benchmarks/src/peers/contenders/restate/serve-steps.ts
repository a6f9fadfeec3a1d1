import { loadPeer } from "../../load-peer.ts";
import { type Handler, type RestateSdk, sdkName, stepServices } from "./sdk.ts";

/** Serves the three steps, each with this handler, and says at which port. */
export async function serveSteps(act: Handler): Promise<void> {
  const { PEERS_FOLDER = "" } = process.env;
  const { service, serve } = await loadPeer<RestateSdk>(PEERS_FOLDER, sdkName);
  const services = stepServices.map((name) => service({ name, handlers: { act } }));
  const port = await serve({ port: 0, services });
  process.stdout.write(`${JSON.stringify({ msg: "ready", port })}\n`);
}
