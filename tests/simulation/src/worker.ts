import { parentPort, workerData } from "node:worker_threads";
import { tallySchedules } from "./tally.ts";

// Nobody reads the stack of a fault that was meant to happen, and it takes long to write down.
Error.stackTraceLimit = 0;
parentPort?.postMessage(await tallySchedules(workerData as { first: number; end: number }), []);
