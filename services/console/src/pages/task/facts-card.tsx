import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useConsole } from "../../api/console-context.ts";
import type { ListedTask, Task } from "../../api/types.ts";
import { Link } from "../../app/router.tsx";
import { workflowPath } from "../../app/routes.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { formatDuration } from "../../parts/format.ts";
import { Time } from "../../parts/time.tsx";
import { noFilter, writeFilter } from "../tasks/filter.ts";

interface Props {
  readonly task: Task;
  readonly submittedBy: string | null;
}

/** What the task was given when it was submitted, each as a link to the tasks that have the same. */
export function FactsCard({ task, submittedBy }: Props) {
  const correlationId = useCorrelationId(task.id);
  const { key, labels, priority, fairness, notBefore, finishedAt } = task;
  return (
    <section className="card" aria-labelledby="facts-title">
      <header className="card-head">
        <h2 id="facts-title">Facts</h2>
      </header>
      <dl className="facts">
        <Fact name="Id">
          <code>{task.id}</code> <CopyButton text={task.id} label="Copy the id" />
        </Fact>
        <Fact name="Workflow">
          <Link to={workflowPath(task.workflow)}>{task.workflow}</Link>
        </Fact>
        <Fact name="Version">{task.version}</Fact>
        <Fact name="Key">{key !== null && <Alike filter={{ key }}>{key}</Alike>}</Fact>
        <Fact name="Labels">
          {Object.entries(labels).map(([name, value]) => (
            <Alike key={name} filter={{ labels: { [name]: value } }}>
              {name}={value}
            </Alike>
          ))}
        </Fact>
        <Fact name="Correlation id">
          {correlationId !== null && <Alike filter={{ correlationId }}>{correlationId}</Alike>}
        </Fact>
        <Fact name="Priority">{priority}</Fact>
        <Fact name="Fairness">
          {fairness !== null && `${fairness.key} (weight ${fairness.weight})`}
        </Fact>
        <Fact name="Fault code">
          {task.faultCode !== null && (
            <Alike filter={{ faultCode: task.faultCode }}>{task.faultCode}</Alike>
          )}
        </Fact>
        <Fact name="Submitted">
          <Time at={task.createdAt} /> {submittedBy !== null && `by ${submittedBy}`}
        </Fact>
        <Fact name="Not before">{notBefore !== null && <Time at={notBefore} />}</Fact>
        <Fact name="Ended">
          {finishedAt !== null && (
            <>
              <Time at={finishedAt} />, after{" "}
              {formatDuration(Date.parse(finishedAt) - Date.parse(task.createdAt))}
            </>
          )}
        </Fact>
      </dl>
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const isNone = children === null || children === false || isEmptyList(children);
  return (
    <div>
      <dt>{name}</dt>
      <dd>{isNone ? <span className="muted">–</span> : children}</dd>
    </div>
  );
}

const isEmptyList = (children: ReactNode): boolean =>
  Array.isArray(children) && children.length === 0;

interface AlikeProps {
  readonly filter: Partial<typeof noFilter>;
  readonly children: ReactNode;
}

const Alike = ({ filter, children }: AlikeProps) => (
  <Link to={`/tasks${writeFilter({ ...noFilter, ...filter })}`} title="Tasks that have the same">
    {children}
  </Link>
);

/** Only lists have it: what a task answers to those who know its id does not. */
function useCorrelationId(id: string): string | null {
  const { api } = useConsole();
  const { data } = useQuery({
    queryKey: ["correlationId", id],
    queryFn: ({ signal }) =>
      api.ask<{ readonly items: readonly ListedTask[] }>(
        {
          method: "POST",
          path: "/v1/tasks/search",
          body: { filter: { text: id }, page: { limit: 1 } },
        },
        signal,
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.items.find((item) => item.id === id)?.correlationId ?? null;
}
