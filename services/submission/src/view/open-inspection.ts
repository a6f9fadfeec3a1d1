import {
  type Examination,
  type ExplainedTask,
  examine,
  explainTask,
  type VerifiedStore,
  verifyStore,
} from "@holdfast/diagnosis";
import type { Milliseconds } from "@holdfast/domain";
import { openInspector } from "@holdfast/state-store";
import { onceAtATime } from "./once-at-a-time.ts";

/** When something was looked at, and what was found. */
interface Found<What> {
  readonly at: Date;
  readonly found: What;
}

/** What the command's `why`, `doctor` and `verify` find, for operators. */
export interface Inspection {
  /** Explains a task; null: there is no such task. */
  explain(taskId: string): Promise<ExplainedTask | null>;
  examine(): Promise<Found<Examination>>;
  verify(): Promise<Found<VerifiedStore>>;
}

interface InspectionOptions {
  readonly stateStoreUrl: string;
  readonly brokerUrl: string;
  /** RabbitMQ's HTTP API; null: what only it can tell is not known. */
  readonly managementUrl: string | null;
  /** Shows in both servers' lists of connections. */
  readonly name: string;
}

/** The age of the tasks that `verify` looks at. */
const verified: Milliseconds = 24 * 3_600_000;
/** The longest time for which it looks: the rest of the tasks is left out then. */
const longestInspection: Milliseconds = 10_000;
const keepFor: Milliseconds = 5_000;

const look = <What>(ask: () => Promise<What>) =>
  onceAtATime(async () => ({ at: new Date(), found: await ask() }), { keepFor });

/** Looks at both servers over connections of its own, which are closed soon after each look. */
export function openInspection(options: InspectionOptions): Inspection & AsyncDisposable {
  const { stateStoreUrl, brokerUrl, managementUrl, name } = options;
  const store = openInspector({ url: stateStoreUrl, applicationName: name });
  const broker = { url: brokerUrl, managementUrl, name };
  return {
    explain: (taskId) => explainTask({ store, broker }, taskId),
    examine: look(() =>
      examine({
        ...options,
        now: () => Date.now(),
        openFor: 60_000,
        consumerTimeout: null,
      }),
    ),
    verify: look(() => {
      const until = performance.now() + longestInspection;
      return verifyStore(store, { since: verified, isOver: () => performance.now() > until });
    }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
