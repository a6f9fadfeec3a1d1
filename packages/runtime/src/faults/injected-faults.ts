import { channel } from "node:diagnostics_channel";

/**
 * Every fault that was injected on purpose, published as it happens, with fields for a log line. A
 * test subscribes to see that there were any. Without injected faults nothing is published.
 */
export const injectedFaults = channel("holdfast.injected-faults");
