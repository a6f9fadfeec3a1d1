import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../../api/call.ts";
import { useConsole } from "../../api/console-context.ts";
import type { ListedTask, Task } from "../../api/types.ts";
import { Link } from "../../app/router.tsx";
import { schedulePath, workflowPath } from "../../app/routes.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Facts } from "../../parts/facts.tsx";
import { formatDuration } from "../../parts/format.ts";
import { Section } from "../../parts/section.tsx";
import { Time } from "../../parts/time.tsx";
import { scheduleOf } from "../schedules/schedule-of.ts";
import { noFilter, writeFilter } from "../tasks/filter.ts";

interface Props {
  readonly task: Task;
  readonly submittedBy: string | null;
}

/**
 * What the task was given when it was submitted, each as a link to the tasks that have the same.
 */
export function FactsCard({ task, submittedBy }: Props) {
  const correlationId = useCorrelationId(task.id);
  return (
    <Section title="Facts">
      <div className="section-body">
        <Facts facts={[...identity(task, correlationId), ...times(task, submittedBy)]} />
      </div>
    </Section>
  );
}

const none = <span className="muted">–</span>;

function identity(
  task: Task,
  correlationId: string | null,
): readonly (readonly [string, ReactNode])[] {
  const { key, labels, priority, fairness, faultCode } = task;
  const waiting = task.steps.filter(({ awaiting }) => awaiting !== null);
  const pairs = Object.entries(labels);
  return [
    [
      "Id",
      <>
        <code>{task.id}</code> <CopyButton text={task.id} label="Copy the id" />
      </>,
    ],
    ["Workflow", <Link to={workflowPath(task.workflow)}>{task.workflow}</Link>],
    ["Version", task.version],
    ["Key", key === null ? none : <Alike filter={{ key }}>{key}</Alike>],
    [
      "Labels",
      pairs.length === 0
        ? none
        : pairs.map(([name, value]) => (
            <div key={name}>
              <Alike filter={{ labels: { [name]: value } }}>
                {name}={value}
              </Alike>
            </div>
          )),
    ],
    [
      "Correlation id",
      correlationId === null ? none : <Alike filter={{ correlationId }}>{correlationId}</Alike>,
    ],
    // Few workflows have steps that wait: the tasks of others are spared a line.
    ...(waiting.length === 0
      ? []
      : ([
          [
            "Waits for",
            waiting.map(({ name, awaiting }) => (
              <div key={name} className="in-text">
                <Alike filter={{ awaiting: name }}>{name}</Alike>
                {awaiting?.signal != null && `, the signal ${awaiting.signal}`}
                {awaiting?.audience != null && `, ${awaiting.audience} to decide`}
                {awaiting?.until != null && (
                  <>
                    , ends <Time at={awaiting.until} />
                  </>
                )}
              </div>
            )),
          ],
        ] as const)),
    ["Priority", priority],
    ["Fairness", fairness === null ? none : `${fairness.key} (weight ${fairness.weight})`],
    ["Fault code", faultCode === null ? none : <Alike filter={{ faultCode }}>{faultCode}</Alike>],
  ];
}

const times = (
  { createdAt, notBefore, finishedAt }: Task,
  submittedBy: string | null,
): readonly (readonly [string, ReactNode])[] => [
  [
    "Submitted",
    <>
      <Time at={createdAt} /> {submittedBy !== null && <Submitter name={submittedBy} />}
    </>,
  ],
  ["Not before", <Time at={notBefore} />],
  [
    "Ended",
    finishedAt === null ? (
      none
    ) : (
      <>
        <Time at={finishedAt} />, after{" "}
        {formatDuration(Date.parse(finishedAt) - Date.parse(createdAt))}
      </>
    ),
  ],
];

/** Who submitted a task. A schedule is a click away. */
function Submitter({ name }: { readonly name: string }) {
  const schedule = scheduleOf(name);
  if (schedule === null) return `by ${name}`;
  return (
    <>
      by schedule <Link to={schedulePath(schedule)}>{schedule}</Link>
    </>
  );
}

interface AlikeProps {
  readonly filter: Partial<typeof noFilter>;
  readonly children: ReactNode;
}

const Alike = ({ filter, children }: AlikeProps) => (
  <Link to={`/tasks${writeFilter({ ...noFilter, ...filter })}`} title="Tasks that have the same">
    {children}
  </Link>
);

/**
 * Finds the correlation id in a list: what a task answers to those who know its id does not have
 * it.
 */
function useCorrelationId(id: string): string | null {
  const { api } = useConsole();
  const { data } = useQuery({
    queryKey: ["correlationId", id],
    queryFn: ({ signal }) =>
      api.ask<{ readonly items: readonly ListedTask[] }>(
        call("post", "/v1/tasks/search", { body: { filter: { text: id }, limit: 1 } }),
        signal,
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.items.find((item) => item.id === id)?.correlationId ?? null;
}
