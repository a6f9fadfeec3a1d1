import { openTaskStates } from "@holdfast/domain";
import { useNow } from "../../api/console-context.ts";
import { useOverview } from "../../api/queries.ts";
import type { AgentOverview, InstanceSeen, Need, Overview, TaskState } from "../../api/types.ts";
import { Link } from "../../app/router.tsx";
import { agentPath } from "../../app/routes.ts";
import { Badge } from "../../parts/badge.tsx";
import { DataTable, type TableColumn } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount, formatDuration } from "../../parts/format.ts";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { Loading } from "../../parts/loading.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Section } from "../../parts/section.tsx";
import { breakerStyles, styleOf, type Tone, taskStyles } from "../../parts/state-styles.ts";
import { Time } from "../../parts/time.tsx";
import { SlotBar } from "../agents/slot-bar.tsx";
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

const looks: Readonly<Record<Need["kind"], { readonly icon: IconName; readonly tone: Tone }>> = {
  scheduler: { icon: "cross", tone: "bad" },
  broker: { icon: "cross", tone: "bad" },
  replies: { icon: "cross", tone: "bad" },
  supervisor: { icon: "cross", tone: "bad" },
  inbox: { icon: "cross", tone: "bad" },
  halted: { icon: "cross", tone: "bad" },
  breaker: { icon: "cut", tone: "bad" },
  deadLetters: { icon: "warn", tone: "bad" },
  refused: { icon: "warn", tone: "bad" },
  agentSilent: { icon: "warn", tone: "bad" },
  outbox: { icon: "late", tone: "warn" },
  alert: { icon: "warn", tone: "warn" },
  paused: { icon: "pause", tone: "warn" },
};
const unknown = { icon: "warn", tone: "warn" } as const;

/** What waits for a person, each with the page where it is repaired. */
function NeedsYou({ overview: { needsYou } }: { readonly overview: Overview }) {
  return (
    <Section title="What needs you" note={needsYou.length > 0 && formatCount(needsYou.length)}>
      {needsYou.length === 0 ? (
        <p className="all-well">
          <Icon name="done" className="tone-good" /> Nothing: all goes on by itself.
        </p>
      ) : (
        <ul className="needs">
          {needsYou.map((need) => (
            <li key={`${need.kind} ${need.sentence}`}>
              <NeedLine need={need} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function NeedLine({ need: { kind, sentence, act, since, page } }: { readonly need: Need }) {
  const { icon, tone } = Object.hasOwn(looks, kind) ? looks[kind] : unknown;
  return (
    // A path of the console, whatever the service says.
    <Link to={page.startsWith("/") ? page : "/"} className={`need tone-${tone}`}>
      <Icon name={icon} className={`tone-${tone}`} />
      <span>
        {sentence}
        {act !== null && <small className="muted"> {act}</small>}
      </span>
      <small className="muted">{since !== null && <Time at={since} />}</small>
      <Icon name="right" />
    </Link>
  );
}

/** A process reports each 5 s: after this it is missed. */
const silentAfter = 20_000;

/** The Schedulers and Supervisors that have reported, and when. */
function ProcessesNow({ overview }: { readonly overview: Overview }) {
  const { schedulers, supervisors } = overview;
  return (
    <div className="pair">
      <Processes title="Schedulers" all={schedulers} />
      <Processes title="Supervisors" all={supervisors} />
    </div>
  );
}

interface Props {
  readonly title: string;
  readonly all: readonly InstanceSeen[];
}

function Processes({ title, all }: Props) {
  const now = useNow();
  return (
    <Section title={title} note={all.length}>
      {all.length === 0 && (
        <p className="card-none">
          <Icon name="warn" className="tone-bad" /> None has reported: see what needs you.
        </p>
      )}
      <ul className="processes">
        {all.map(({ instance, seenAt }) => {
          const isSilent = now - Date.parse(seenAt) > silentAfter;
          return (
            <li key={instance}>
              <Icon
                name={isSilent ? "warn" : "done"}
                className={isSilent ? "tone-bad" : "tone-good"}
              />
              <code title={instance}>{instance}</code>
              <span className="muted">
                <Time at={seenAt} />
              </span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

const open: readonly TaskState[] = openTaskStates;
const ended: readonly TaskState[] = ["processed", "undone"];

/** How many tasks are in each state. Each leads to the list of them. */
function StateChips({ overview: { states } }: { readonly overview: Overview }) {
  return (
    <div className="states">
      <Group name="Now" of={open} states={states} query="" />
      <Group name="Last 24 h" of={ended} states={states} query="&within=24h" />
    </div>
  );
}

interface GroupProps {
  readonly name: string;
  readonly of: readonly TaskState[];
  readonly states: Overview["states"];
  readonly query: string;
}

function Group({ name, of, states, query }: GroupProps) {
  return (
    <nav className="state-group" aria-label={`Tasks: ${name}`}>
      <span className="muted">{name}</span>
      {of.map((state) => {
        const { word, tone, icon } = taskStyles[state];
        return (
          <Link
            key={state}
            to={`/tasks?state=${state}${query}`}
            className={`state-chip tone-${tone}`}
            data-none={states[state] === 0 || undefined}
          >
            <Icon name={icon} className={`tone-${tone}`} />
            <strong>{formatCount(states[state])}</strong>
            {word}
          </Link>
        );
      })}
    </nav>
  );
}

const none = <span className="muted">–</span>;
const duration = (ms: number | null) => (ms === null ? none : formatDuration(ms));
/** Due steps beyond which none are counted. */
const mostDue = 1_000;
const due = (count: number) => (count >= mostDue ? `${formatCount(mostDue)}+` : formatCount(count));

const columns: readonly TableColumn<AgentOverview>[] = [
  {
    id: "name",
    header: "Agent",
    cell: ({ name, paused }) => (
      <span className="badges">
        <Link to={agentPath(name)} title={name}>
          {name}
        </Link>
        {paused && <Badge style={{ word: "Paused", tone: "warn", icon: "pause" }} />}
      </span>
    ),
  },
  { id: "living", header: "Instances", isNumber: true, cell: ({ instances }) => instances },
  {
    id: "slots",
    header: "In flight / slots",
    cell: ({ inFlight, slots }) => <SlotBar used={inFlight} all={slots} />,
  },
  { id: "due", header: "Queue", isNumber: true, cell: (agent) => due(agent.due) },
  {
    id: "oldest",
    header: "Oldest due",
    isNumber: true,
    cell: (agent) => duration(agent.oldestDueMs),
  },
  { id: "p50", header: "p50", isNumber: true, cell: ({ p50Ms }) => duration(p50Ms) },
  { id: "p95", header: "p95", isNumber: true, cell: ({ p95Ms }) => duration(p95Ms) },
  { id: "ok", header: "OK", isNumber: true, cell: ({ okPercent }) => <Ok percent={okPercent} /> },
  {
    id: "breaker",
    header: "Breaker",
    cell: ({ breaker, breakerUntil, heldSteps }) => (
      <span className="badges">
        <Badge style={styleOf(breakerStyles, breaker)} />
        {breaker !== "closed" && (
          <small className="muted">
            {heldSteps > 0 && `${formatCount(heldSteps)} held · `}
            {breakerUntil !== null && <Time at={breakerUntil} />}
          </small>
        )}
      </span>
    ),
  },
  { id: "seen", header: "Seen", isNumber: true, cell: ({ seenAt }) => <Time at={seenAt} /> },
];

function Ok({ percent }: { readonly percent: number | null }) {
  if (percent === null) return none;
  const tone = percent >= 99 ? "good" : percent >= 90 ? "warn" : "bad";
  return <span className={`ok-share tone-${tone}`}>{formatCount(percent)} %</span>;
}

/** What each Agent has to do, and how it goes. */
function AgentsNow({ overview: { agents } }: { readonly overview: Overview }) {
  return (
    <Section title="Agents" note={formatCount(agents.length)}>
      {agents.length === 0 ? (
        <Empty title="No Agent has reported">
          Start one: it reports within seconds, and takes the steps of its name.
        </Empty>
      ) : (
        <DataTable
          name="agents-now"
          label="Agents"
          rows={agents}
          columns={columns}
          keyOf={({ name }) => name}
        />
      )}
    </Section>
  );
}
