import { useQuery } from "@tanstack/react-query";
import { useConsole } from "../api/console-context.ts";
import type { BulkForecast } from "../api/operations-types.ts";
import { Link } from "../app/router.tsx";
import { taskPath } from "../app/routes.ts";
import { formatCount, shortId } from "../parts/format.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import { type BulkBody, dryRunOf } from "./bulk-wish.ts";

/** Asks what the operation would do, each time that what it acts on changes. */
export function useForecast(body: BulkBody, isWrong: boolean) {
  const { api } = useConsole();
  const { action, filter, step, output } = body;
  return useQuery({
    queryKey: ["forecast", JSON.stringify([action, filter, step, output])],
    queryFn: ({ signal }) =>
      api.ask<BulkForecast>(
        { method: "POST", path: "/v1/bulk-operations", body: dryRunOf(body) },
        signal,
      ),
    enabled: !isWrong,
    refetchInterval: 5_000,
  });
}

interface Props {
  readonly forecast: ReturnType<typeof useForecast>;
  readonly verb: string;
}

/** What a dry run says: how many match, how many of these would be acted on, and why not the others. */
export function Forecast({ forecast: { data, error, isFetching }, verb }: Props) {
  if (data === undefined) {
    return error === null ? (
      <p className="forecast" role="status">
        {isFetching ? "Dry run …" : "The dry run waits for a right form."}
      </p>
    ) : (
      <ProblemNote error={error} />
    );
  }
  const { matches, allowed, refused, sample } = data;
  return (
    <div className="forecast" role="status">
      <p>
        <strong>Dry run:</strong> {formatCount(matches)} {matches === 1 ? "matches" : "match"},{" "}
        {verb.toLowerCase()} is allowed for <strong>{formatCount(allowed)}</strong>.
      </p>
      {refused.map(({ reason, count }) => (
        <p key={reason} className="tone-warn forecast-refused">
          {formatCount(count)} refused: <code>{reason}</code>
        </p>
      ))}
      {sample.length > 0 && (
        <p className="muted">
          Such as{" "}
          {sample.slice(0, 3).map((id) => (
            <Link key={id} to={taskPath(id)} className="mono sample" title={id} target="_blank">
              {shortId(id)}
            </Link>
          ))}
        </p>
      )}
      {error !== null && <ProblemNote error={error} />}
    </div>
  );
}
