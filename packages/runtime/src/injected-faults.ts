import { channel } from "node:diagnostics_channel";

/**
 * Every fault that was injected on purpose, published as it happens, with fields for a log line. So
 * a test can tell that there were any; nobody publishes and nobody pays while none are asked for.
 */
export const injectedFaults = channel("holdfast.injected-faults");
