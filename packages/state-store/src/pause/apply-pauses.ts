import type { Pool } from "pg";
import { resumeRepaired } from "../apply/park-tasks.ts";
import { bindTo } from "../postgres/bind.ts";
import { query } from "../postgres/query.ts";
import { withRetries } from "../postgres/retry.ts";
import { rowsOf } from "../postgres/statement-types.ts";

const parkSteps = query("set-paused-steps-aside", rowsOf<{ steps: number }>());
const releaseSteps = query("release-resumed-steps", rowsOf<{ steps: number }>());

/** Parks a batch of steps of paused workflows and releases a batch of resumed ones; returns how many moved. */
export const applyPauses = (pool: Pool) => {
  const { exactlyOnce } = bindTo(pool);
  const park = exactlyOnce(parkSteps);
  const release = exactlyOnce(releaseSteps);
  return async (): Promise<number> => {
    await withRetries(() => resumeRepaired(pool));
    const [[parked], [released]] = await Promise.all([park({}), release({})]);
    return (parked?.steps ?? 0) + (released?.steps ?? 0);
  };
};
