import { claimSteps } from "../claim/claim-due-steps.ts";
import type { ClaimedRow, ClaimedStep, ClaimOptions, LaneCapacity } from "../claim/claimed-step.ts";
import { composed } from "../postgres/operation.ts";
import { asFault } from "../postgres/postgres-error.ts";
import { type Database, query, queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { type Decided, inTransaction } from "../postgres/transaction.ts";

export interface ProbeOptions extends Omit<ClaimOptions, "capacity"> {
  readonly service: string;
  /** The lanes of the service, in the order in which they are looked through. */
  readonly lanes: readonly ProbedLane[];
}

/** A lane, and of a pool the Agent that gets the step. */
export type ProbedLane = Pick<LaneCapacity, "lane" | "agent">;

const lock = query("lock-breaker", rowsOf<{ service: string }>());
const findInFlight = queryAmong("find-probe-in-flight", rowsOf<{ taskId: string }>());
const begin = query("begin-probe");

/**
 * Claims one due step of a remote service whose breaker is open and whose probe is due, in one transaction with the
 * breaker: so there is one probe for all Schedulers. Null: it is not due, another Scheduler was quicker, a probe is
 * in flight, or no step is due. Not safe to repeat: if the answer is lost, the step is claimed, and the resend publishes it.
 */
export const claimProbe = composed(
  async (context, { service, lanes, ...options }: ProbeOptions): Promise<ClaimedStep | null> => {
    const claimInLane = async (client: Database, lane: ProbedLane): Promise<ClaimedRow | null> => {
      const capacity = [{ ...lane, slots: 1 }];
      const [probe] = await claimSteps(context)(client, { ...options, capacity });
      if (probe === undefined) return null;
      const { taskId, name: step, token } = probe;
      await begin(client, { service, taskId, step, token });
      return probe;
    };
    const work = async (client: Database): Promise<Decided<ClaimedRow | null>> => {
      const isDue =
        (await lock(client, { service })).length > 0 &&
        (await findInFlight(client, context.partitions.range(), { service })).length === 0;
      let probe: ClaimedRow | null = null;
      for (const lane of isDue ? lanes : []) probe ??= await claimInLane(client, lane);
      return { sent: [], result: () => probe };
    };
    const claimed = await asFault(() => inTransaction(context.pool, work));
    if (claimed !== null) context.cache.claimed([claimed], options);
    return claimed;
  },
);
