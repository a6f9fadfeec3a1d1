import { applying } from "./apply.ts";
import { signing } from "./attempt-signs.ts";
import { guarding } from "./breakers.ts";
import { claimDueSteps } from "./claim.ts";
import { expiring, proving } from "./expire.ts";
import { beating } from "./heartbeats.ts";
import type { Move, StoredTask } from "./memory-task.ts";
import { pausing } from "./pause.ts";
import { reading } from "./read.ts";
import { resending } from "./resend.ts";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import { staging } from "./stage.ts";
import { emptyState, type MemoryStoreOptions } from "./store-state.ts";
import type { StoredBreaker } from "./stored-breaker.ts";
import { submitting } from "./submit.ts";
import { versioning } from "./versions.ts";

export interface MemoryStore extends AtOnce<SimulatedStore> {
  readonly tasks: ReadonlyMap<string, StoredTask>;
  readonly history: readonly Move[];
  readonly breakers: ReadonlyMap<string, StoredBreaker>;
}

/**
 * The state store without Postgres: the same operations over maps, each of them atomic because nothing
 * else runs meanwhile. What it decides, it has the domain decide. Kept equal to the real one by
 * `memory-store.integration.test.ts`.
 */
export function memoryStore(options: MemoryStoreOptions): MemoryStore {
  const state = emptyState(options);
  return {
    claimDueSteps: (asked) => claimDueSteps(state, asked),
    ...applying(state),
    ...resending(state),
    ...staging(state),
    ...reading(state),
    ...expiring(state),
    ...proving(state),
    ...pausing(state),
    ...guarding(state),
    ...submitting(state),
    ...versioning(state),
    ...beating(state),
    ...signing(state),
    ...notSimulated,
    tasks: state.tasks,
    history: state.history,
    breakers: state.breakers,
  };
}

/** Dead letters and notifications. */
const notSimulated = {
  recordRejectedReplies: () => {},
  recordDeadLetters: () => {},
  takeNotifications: () => [],
  deleteNotifications: () => {},
  deleteStaleNotifications: () => 0,
};
