import { parentPort, workerData } from "node:worker_threads";
import { tallySchedules } from "./tally.ts";

// The stack of an injected fault is never read, and takes long to write down.
Error.stackTraceLimit = 0;
parentPort?.postMessage(await tallySchedules(workerData as { first: number; end: number }), []);
