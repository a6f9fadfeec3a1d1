import { TransientFault } from "@holdfast/domain";
import { openStateStore, type StateStore } from "@holdfast/state-store";

/** Milliseconds. */
const timeout = 60_000;

/**
 * Opens the store for a test. A service gives up after some seconds and is started again; a test
 * that shares its cores with others may have to wait longer, and is not started again.
 */
export async function openStore(
  options: Parameters<typeof openStateStore>[0],
): Promise<StateStore> {
  const begun = performance.now();
  for (;;) {
    try {
      return await openStateStore(options);
    } catch (error) {
      // Each attempt has its own pauses.
      const isLast = performance.now() - begun > timeout;
      if (!(error instanceof TransientFault) || isLast) throw error;
    }
  }
}
