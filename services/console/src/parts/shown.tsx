import type { ReactNode } from "react";
import { ProblemFault } from "../api/faults.ts";
import { Empty } from "./empty.tsx";
import { Loading } from "./loading.tsx";
import { ProblemNote } from "./problem-note.tsx";

interface Props<T> {
  readonly query: { readonly data: T | undefined; readonly error: Error | null };
  readonly children: (data: T) => ReactNode;
}

/**
 * What was asked for, once it is there. What is shown stays while the service is away: the banner
 * says so.
 */
export function Shown<T>({ query: { data, error }, children }: Props<T>) {
  if (data === undefined) return error === null ? <Loading /> : <NotShown error={error} />;
  return (
    <>
      {error instanceof ProblemFault && <ProblemNote error={error} />}
      {children(data)}
    </>
  );
}

/** An older service has no such route, and no service has what was deleted. */
function NotShown({ error }: { readonly error: Error }) {
  if (!(error instanceof ProblemFault) || error.status !== 404)
    return <ProblemNote error={error} />;
  return (
    <Empty title="The service does not have this">
      <p>{error.message}</p>
    </Empty>
  );
}
