import type { WorkflowDefinition } from "@holdfast/domain";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { OfferButton } from "../../actions/action-provider.tsx";
import { offersOf } from "../../actions/task-actions.ts";
import { pathOf } from "../../api/api.ts";
import { useConsole, useNow } from "../../api/console-context.ts";
import { isOutage, ProblemFault } from "../../api/faults.ts";
import { useWorkflow } from "../../api/operations-queries.ts";
import { keys, useConsoleSettings, useHistory, useTaskPart } from "../../api/queries.ts";
import type { Attempts, HistoryEntry, Task, Why } from "../../api/types.ts";
import { Link, setQuery, usePlace } from "../../app/router.tsx";
import { workflowPath } from "../../app/routes.ts";
import { followStream, type StreamState } from "../../live/follow-stream.ts";
import { Badge } from "../../parts/badge.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { exactTime, shortId, shortTime, splitAtInstants } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { Loading } from "../../parts/loading.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Section } from "../../parts/section.tsx";
import { stepStyles, styleOf, taskStyles } from "../../parts/state-styles.ts";
import { Time } from "../../parts/time.tsx";
import { WorkflowGraph } from "../../parts/workflow-graph/workflow-graph.tsx";
import { shownSteps } from "../workflows/shown-steps.ts";
import { ApprovalsCard } from "./approvals-card.tsx";
import { AttemptsCard } from "./attempts/attempts-card.tsx";
import { FactsCard } from "./facts-card.tsx";
import { HistoryCard } from "./history/history-card.tsx";
import { withMove } from "./history/with-move.ts";
import { SignalsCard } from "./signals-card.tsx";
import { stepToShow } from "./step-to-show.ts";
import type { Selected } from "./timeline/placed-lanes.ts";
import { Timeline } from "./timeline/timeline.tsx";
import { traceUrlOf } from "./trace-url.ts";

/** One task: how it stands and why, what it did, and what can be done to it. */
export function TaskPage({ id }: { readonly id: string }) {
  const { task, why, attempts, history } = useTask(id);
  if (task.data === undefined) return <Missing error={task.error} />;
  return (
    <section className="page" aria-label={`Task ${id}`}>
      <TaskHead task={task.data} />
      {task.error !== null && !isOutage(task.error) && <ProblemNote error={task.error} />}
      <Verdict why={why.data} error={why.error} />
      {attempts.data === undefined ? (
        <Part error={attempts.error} />
      ) : (
        <Steps task={task.data} attempts={attempts.data} why={why.data} />
      )}
      {task.data.steps.some(({ kind }) => kind === "approval") && (
        <ApprovalsCard task={task.data} />
      )}
      {task.data.steps.some(({ kind }) => kind === "signal") && <SignalsCard task={task.data} />}
      <div className="columns">
        {history.data === undefined ? (
          <Part error={history.error} />
        ) : (
          <HistoryCard items={history.data.items} />
        )}
        <FactsCard
          task={task.data}
          submittedBy={task.data.submittedBy ?? submitterOf(history.data?.items)}
        />
      </div>
      <Payloads task={task.data} />
    </section>
  );
}

function Missing({ error }: { readonly error: unknown }) {
  if (error === null) return <Loading />;
  if (error instanceof ProblemFault && error.status === 404) {
    return (
      <Empty title="There is no such task">
        It was never submitted here, or its month was deleted.
      </Empty>
    );
  }
  return (
    <div className="page">
      <ProblemNote error={error} />
    </div>
  );
}

const Part = ({ error }: { readonly error: unknown }) =>
  error === null ? <Loading /> : <ProblemNote error={error} />;

const submitterOf = (items: readonly HistoryEntry[] = []): string | null =>
  items.find(({ action }) => action === "submit")?.actor ?? null;

interface StepsProps {
  readonly task: Task;
  readonly attempts: Attempts;
  readonly why: Why | undefined;
}

/** Timeline, graph and the attempts of one step: all three show what is selected in the URL. */
function Steps({ task, attempts, why }: StepsProps) {
  const { query } = usePlace();
  const settings = useConsoleSettings();
  const forward = useMemo(
    () => task.steps.filter(({ kind }) => kind !== "undo").map(({ name }) => name),
    [task.steps],
  );
  const step = stepToShow(task, query.get("step"));
  const given = Number(query.get("attempt"));
  const attempt = Number.isInteger(given) && given > 0 ? given : null;
  const selected = useMemo<Selected | null>(
    () => (step === null ? null : { step: step.name, attempt }),
    [step, attempt],
  );
  const onSelect = useCallback(
    (next: Selected) =>
      setQuery(
        { step: next.step, attempt: next.attempt === null ? null : String(next.attempt) },
        { replace: true },
      ),
    [],
  );
  return (
    <>
      <Section title="Attempts">
        <Timeline
          attempts={attempts}
          steps={forward}
          startedAt={Date.parse(task.createdAt)}
          isLive={task.finishedAt === null && task.state !== "halted"}
          selected={selected}
          onSelect={onSelect}
        />
      </Section>
      {step !== null && selected !== null && (
        <AttemptsCard
          attempts={attempts}
          step={step}
          waitsFor={why?.steps.find(({ name }) => name === step.name)?.sentence ?? null}
          selected={selected}
          onSelect={onSelect}
          traceUrl={traceUrlOf(settings.data?.traceUrlTemplate ?? null, task)}
        />
      )}
      <TaskGraph task={task} selected={step?.name ?? null} onSelect={onSelect} />
    </>
  );
}

function Payloads({ task }: { readonly task: Task }) {
  return (
    <Section title="Input and result of the task">
      <div className="sides payloads">
        <section className="side">
          <h3>Input</h3>
          <JsonView value={task.input} label="input of the task" />
        </section>
        <section className="side">
          <h3>Result</h3>
          <JsonView value={task.result} label="result of the task" />
        </section>
      </div>
    </Section>
  );
}

/** Which task it is, how it stands, and what can be done to it. */
function TaskHead({ task }: { readonly task: Task }) {
  const selected = usePlace().query.get("step");
  const { id, key, state, paused, workflow, version, updatedAt } = task;
  const stored = useWorkflow(workflow).data;
  // The service stores valid definitions only.
  const definition = (stored?.definition as unknown as WorkflowDefinition | undefined) ?? null;
  return (
    <header className="task-head">
      <div className="task-title">
        <h1 title={id}>{key ?? <span className="mono">{shortId(id)}</span>}</h1>
        <CopyButton text={id} label="Copy the id" />
        <Badge style={styleOf(taskStyles, state)} />
        {paused !== null && (
          <Badge
            style={{ word: "Paused", tone: "warn", icon: "pause" }}
            title={`${paused.by}: ${paused.reason}`}
          />
        )}
        <span className="muted">
          <Link to={workflowPath(workflow)}>{workflow}</Link> · v{version} · moved{" "}
          <Time at={updatedAt} />
        </span>
      </div>
      <div className="buttons" role="toolbar" aria-label="Actions">
        {offersOf(task, selected, definition).map((offer, place) => (
          // Each has its place: Resume stands where Pause stood, and keeps the focus.
          <OfferButton key={place} offer={offer} />
        ))}
      </div>
    </header>
  );
}

interface Props {
  readonly why: Why | undefined;
  readonly error: unknown;
}

/** Why the task stands as it stands, in one sentence, and what that is known from. */
function Verdict({ why, error }: Props) {
  if (why === undefined) return error === null ? null : <ProblemNote error={error} />;
  const style = styleOf(taskStyles, why.state);
  return (
    <section className={`why tone-${style.tone}`} aria-label="Why">
      <Icon name={style.icon} className={`tone-${style.tone}`} />
      <div>
        <p className="why-line" aria-live="polite">
          <Sentence text={why.sentence} />
        </p>
        {why.turnOf !== null && (
          <p className="why-turn">
            <Sentence text={why.turnOf} />
          </p>
        )}
        {why.evidence.length > 0 && (
          <details>
            <summary>What this is known from</summary>
            <ul>
              {why.evidence.map((line) => (
                <li key={line}>
                  <Sentence text={line} />
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </section>
  );
}

/** A sentence of the service, with its instants as a clock shows them here. */
function Sentence({ text }: { readonly text: string }) {
  const now = useNow();
  return splitAtInstants(text).map(({ words, at, index }) =>
    at === null ? (
      words
    ) : (
      <time key={index} dateTime={words} title={exactTime(at)}>
        {shortTime(at, now)}
      </time>
    ),
  );
}

interface TaskGraphProps {
  readonly task: Task;
  readonly selected: string | null;
  readonly onSelect: (selected: Selected) => void;
}

/** The workflow of the task, with how each step stands. */
function TaskGraph({ task, selected, onSelect }: TaskGraphProps) {
  const { data, error } = useWorkflow(task.workflow);
  const steps = useMemo(() => {
    const states = new Map(task.steps.map(({ name, processState }) => [name, processState]));
    if (data === undefined) return [];
    // The service stores valid definitions only.
    return shownSteps(data.definition as unknown as WorkflowDefinition).map((step) => {
      const undo = states.get(`${step.name}:undo`);
      const state = states.get(step.name);
      const isUndone = undo === "processed";
      const style = state === undefined ? null : styleOf(stepStyles, state);
      const undone = { word: "Undone", tone: "undo", icon: "undo" } as const;
      return { ...step, style: isUndone ? undone : style };
    });
  }, [data, task.steps]);
  return (
    <Section title="Workflow" note={<Link to={workflowPath(task.workflow)}>{task.workflow}</Link>}>
      {data === undefined && error !== null && <ProblemNote error={error} />}
      {steps.length > 0 && (
        <WorkflowGraph
          steps={steps}
          selected={selected?.replace(/:undo$/, "") ?? null}
          onSelect={(step) => onSelect({ step, attempt: null })}
          label={`Steps of ${task.workflow}`}
        />
      )}
    </Section>
  );
}

interface History {
  readonly items: readonly HistoryEntry[];
}

/** Milliseconds between two questions while there is no stream. */
const pollInterval = 3_000;
/** What is derived from the moves is asked for this long after the first of them. */
const settleTime = 400;

/** A task and what is known of it, live: by its stream, or by asking every few seconds. */
function useTask(id: string) {
  const stream = useTaskStream(id);
  const hasEnded = stream === "ended";
  const interval = stream === "live" || hasEnded ? false : pollInterval;
  return {
    task: useTaskPart<Task>(id, "task", interval),
    why: useTaskPart<Why>(id, "why", interval),
    attempts: useTaskPart<Attempts>(id, "attempts", interval),
    history: useHistory(id, interval),
  };
}

/** Follows the stream of a task into the cache. */
function useTaskStream(id: string): StreamState["kind"] | "ended" {
  const { api } = useConsole();
  const cache = useQueryClient();
  const [state, setState] = useState<StreamState["kind"] | "ended">("connecting");
  useEffect(() => {
    const stop = new AbortController();
    const derived = refresher(cache, id);
    const onEvent = (event: string, data: unknown): void => {
      if (event === "moved") {
        const move = data as HistoryEntry;
        cache.setQueryData<History>(keys.taskPart(id, "history"), (before) =>
          before === undefined ? before : { items: withMove(before.items, move) },
        );
      }
      if (event === "task") cache.setQueryData(keys.taskPart(id, "task"), data);
      derived.soon();
    };
    const following = followStream({
      api,
      path: pathOf`/v1/tasks/${id}/events`,
      onEvent,
      onState: ({ kind }) => setState(kind),
      signal: stop.signal,
    });
    const atEnd = async (): Promise<void> => {
      await following;
      if (stop.signal.aborted) return;
      // It has ended: what it came to is asked for once more, and does not change then.
      setState((before) => (before === "refused" ? before : "ended"));
      derived.now();
    };
    void atEnd();
    return () => {
      stop.abort();
      derived.stop();
    };
  }, [api, cache, id]);
  return state;
}

/** Asks for all parts of the task anew, however many moves there are: twice in a second at most. */
function refresher(cache: QueryClient, id: string) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const now = (): void => {
    timer = undefined;
    void cache.invalidateQueries({ queryKey: keys.task(id) });
  };
  return {
    now,
    soon: (): void => void (timer ??= setTimeout(now, settleTime)),
    stop: (): void => clearTimeout(timer),
  };
}
