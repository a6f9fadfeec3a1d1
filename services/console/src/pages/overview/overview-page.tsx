import { useOverview } from "../../api/queries.ts";
import type { Overview } from "../../api/types.ts";
import { formatCount, formatDuration } from "../../parts/format.ts";
import { Loading } from "../../parts/loading.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { AgentsNow } from "./agents-now.tsx";
import { NeedsYou } from "./needs-you.tsx";
import { ProcessesNow } from "./processes-now.tsx";
import { StateChips } from "./state-chips.tsx";
import { Throughput } from "./throughput.tsx";

/** Whether all goes well, and what to do where it does not. */
export function OverviewPage() {
  const { data, error } = useOverview();
  return (
    <section className="page" aria-labelledby="overview-title">
      <div className="page-head">
        <h1 id="overview-title">Overview</h1>
        {data !== undefined && <Pulse overview={data} />}
      </div>
      {data === undefined && (error === null ? <Loading /> : <ProblemNote error={error} />)}
      {data !== undefined && <StateChips overview={data} />}
      <div className="overview-top">
        <Throughput />
        {data !== undefined && <NeedsYou overview={data} />}
      </div>
      {data !== undefined && <AgentsNow overview={data} />}
      {data !== undefined && <ProcessesNow overview={data} />}
    </section>
  );
}

/** The numbers that one looks at first. */
function Pulse({ overview: { perMinute, oldestDueMs } }: { readonly overview: Overview }) {
  return (
    <span className="muted">
      <strong>{formatCount(perMinute.submitted)}</strong> submitted and{" "}
      <strong>{formatCount(perMinute.ended)}</strong> ended per minute ·{" "}
      {oldestDueMs === null ? (
        "nothing waits"
      ) : (
        <>
          oldest due step waits <strong>{formatDuration(oldestDueMs)}</strong>
        </>
      )}
    </span>
  );
}
