import { resumeRepaired } from "../apply/park-tasks.ts";
import { composed, exactlyOnce } from "../postgres/operation.ts";
import { query } from "../postgres/query.ts";
import { withRetries } from "../postgres/transaction.ts";
import { rowsOf } from "../postgres/statement-types.ts";

const parkSteps = query("set-paused-steps-aside", rowsOf<{ steps: number }>());
const releaseSteps = query("release-resumed-steps", rowsOf<{ steps: number }>());

const park = exactlyOnce((db) => parkSteps(db, {}));
const release = exactlyOnce((db) => releaseSteps(db, {}));

/**
 * Parks a batch of steps of paused workflows and releases a batch of resumed ones; returns how many moved. Call it until
 * it returns 0.
 */
export const applyPauses = composed(async (context): Promise<number> => {
  await withRetries(() => resumeRepaired(context.pool));
  const [[parked], [released]] = await Promise.all([park(context)(), release(context)()]);
  return (parked?.steps ?? 0) + (released?.steps ?? 0);
});
