import { loadPeer } from "../../load-peer.ts";
import { type RestateSdk, sdkName, stepServices } from "./sdk.ts";

const { PEERS_FOLDER = "" } = process.env;
const { service, serve } = await loadPeer<RestateSdk>(PEERS_FOLDER, sdkName);

// The reply of a service is durable by itself: a `run` around its one deed would only cost.
const act = async () => ({ ok: true });
const services = stepServices.map((name) => service({ name, handlers: { act } }));
const port = await serve({ port: 0, services });
process.stdout.write(`${JSON.stringify({ msg: "ready", port })}\n`);
