import { useMemo } from "react";
import { useNow } from "../../api/console-context.ts";
import { useStatistics } from "../../api/queries.ts";
import type { Statistics } from "../../api/types.ts";
import { setQuery, usePlace } from "../../app/router.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount, formatDuration } from "../../parts/format.ts";
import { LineChart } from "../../parts/line-chart.tsx";
import { Loading } from "../../parts/loading.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Section } from "../../parts/section.tsx";
import { chartData, lines, totalOf } from "./chart-data.ts";
import { ranges, readRange, writeRange } from "./ranges.ts";

/** What was submitted and what became of it, over the range of the URL. */
export function Throughput() {
  const range = readRange(usePlace().query.get("range"));
  const { data, error } = useStatistics(range.ms);
  return (
    <Section
      title="Throughput"
      note={<Behind statistics={data} />}
      end={<Ranges name={range.name} />}
    >
      {data !== undefined && <Chart statistics={data} />}
      {data === undefined && (error === null ? <Loading /> : <ProblemNote error={error} />)}
    </Section>
  );
}

function Ranges({ name }: { readonly name: string }) {
  return (
    <div className="segments" role="group" aria-label="Range">
      {ranges.map((range) => (
        <button
          key={range.name}
          type="button"
          aria-pressed={range.name === name}
          onClick={() => setQuery({ range: writeRange(range) }, { replace: true })}
        >
          {range.words}
        </button>
      ))}
    </div>
  );
}

/** The Supervisor counts the history: the chart says when it does not keep up. */
function Behind({ statistics }: { readonly statistics: Statistics | undefined }) {
  const now = useNow();
  if (statistics === undefined) return null;
  const { rolledUpTo } = statistics;
  if (rolledUpTo === null) return <>The Supervisor has not counted anything yet.</>;
  const late = now - Date.parse(rolledUpTo);
  return late < 60_000 ? null : <>counted until {formatDuration(late)} ago</>;
}

function Chart({ statistics }: { readonly statistics: Statistics }) {
  const data = useMemo(() => chartData(statistics), [statistics]);
  const totals = lines.map((line) => ({ ...line, total: totalOf(statistics, line.name) }));
  const words = totals.map(({ words: name, total }) => `${name} ${formatCount(total)}`).join(", ");
  if (statistics.buckets.length === 0) {
    return <Empty title="Nothing happened in this range">Choose a longer one.</Empty>;
  }
  return (
    <>
      <LineChart
        data={data}
        lines={lines}
        height={220}
        label={`Throughput: ${words}`}
        unit="/min"
        from={Date.parse(statistics.from)}
        until={Date.parse(statistics.until)}
      />
      <ul className="chart-totals">
        {totals.map(({ name, words: word, tone, dash, total }) => (
          <li key={name} className={`tone-${tone}`}>
            <svg width="18" height="8" aria-hidden="true">
              <path d="M0 4h18" strokeDasharray={dash.join(" ")} />
            </svg>
            {word} <strong>{formatCount(total)}</strong>
          </li>
        ))}
        <li className="muted">per minute, in steps of {formatDuration(statistics.bucketMs)}</li>
      </ul>
    </>
  );
}
