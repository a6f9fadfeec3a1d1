import type { StoredWorkflow } from "@holdfast/client";
import {
  type ApprovalDefinition,
  type CallDefinition,
  isCall,
  type SignalDefinition,
  type StepDefinition,
  type StepPolicy,
  type WaitDefinition,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { useMemo } from "react";
import { useWorkflow, useWorkflowCount, useWorkflows } from "../../api/operations-queries.ts";
import type { TaskState } from "../../api/types.ts";
import { Link, setQuery, usePlace } from "../../app/router.tsx";
import { agentPath, workflowPath } from "../../app/routes.ts";
import { Facts } from "../../parts/facts.tsx";
import { formatCount, formatDuration } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { Section } from "../../parts/section.tsx";
import { Shown } from "../../parts/shown.tsx";
import { taskStyles } from "../../parts/state-styles.ts";
import { Time } from "../../parts/time.tsx";
import { WorkflowGraph } from "../../parts/workflow-graph/workflow-graph.tsx";
import { shownSteps, waitWords } from "./shown-steps.ts";
import { splitName } from "./versions.ts";
import { WorkflowActions } from "./workflow-actions.tsx";
import { WorkflowBadges } from "./workflow-badges.tsx";

/** One version of a workflow: its picture, its tasks, and what each step may take. */
export function WorkflowPage({ name }: { readonly name: string }) {
  const workflow = useWorkflow(name);
  return (
    <section className="page" aria-labelledby="workflow-title">
      <div className="page-head">
        <Link to="/workflows">Workflows</Link>
        <h1 id="workflow-title" className="cut" title={name}>
          {name}
        </h1>
        <OtherVersions name={name} />
      </div>
      <Shown query={workflow}>{(data) => <Workflow workflow={data} />}</Shown>
    </section>
  );
}

function OtherVersions({ name }: { readonly name: string }) {
  const { data } = useWorkflows();
  const { family } = splitName(name);
  const others = (data?.items ?? []).filter(
    (one) => one.name !== name && splitName(one.name).family === family,
  );
  if (others.length === 0) return null;
  return (
    <nav className="page-head-end buttons" aria-label="Other versions">
      {others.slice(0, 12).map((one) => (
        <Link key={one.name} to={workflowPath(one.name)}>
          {one.name.slice(family.length + 1)}
        </Link>
      ))}
    </nav>
  );
}

function Workflow({ workflow }: { readonly workflow: StoredWorkflow }) {
  const { query } = usePlace();
  const { name, retired, active, awaitsAgents, createdAt, collections } = workflow;
  // The service stores valid definitions only.
  const definition = workflow.definition as unknown as WorkflowDefinition;
  const steps = useMemo(() => shownSteps(definition), [definition]);
  const selected = query.get("step");
  const step = definition.steps.find((one) => one.name === selected);
  const select = (one: string): void =>
    setQuery({ step: one === selected ? null : one }, { replace: true });
  return (
    <>
      <Section
        title="Steps"
        note={<WorkflowBadges {...{ name, retired, active, awaitsAgents }} />}
        end={<WorkflowActions name={name} retired={retired} active={active} />}
      >
        <WorkflowGraph
          steps={steps}
          selected={selected}
          onSelect={select}
          label={`The steps of ${name}`}
        />
        {step === undefined ? (
          <p className="section-body hint">Choose a step to see its policy.</p>
        ) : (
          <StepPolicyView step={step} />
        )}
      </Section>
      <WorkflowTasks name={name} />
      <Section title="Definition">
        <div className="section-body">
          <Facts
            facts={[
              ["Stored", <Time at={createdAt} />],
              ["Routes of its own", collections.length === 0 ? "none" : collections.join(", ")],
              ...(active === null
                ? []
                : [
                    ["Active", <Time at={active.at} />] as const,
                    ["Activated by", `${active.by}: ${active.reason}`] as const,
                  ]),
              ...(workflow.waitsFor.length === 0
                ? []
                : [["Waits for", workflow.waitsFor.join(" ")] as const]),
              ...(retired === null
                ? []
                : [
                    ["Retired", <Time at={retired.at} />] as const,
                    ["By", `${retired.by}: ${retired.reason}`] as const,
                  ]),
            ]}
          />
          <JsonView value={workflow.definition} label="the definition" />
        </div>
      </Section>
    </>
  );
}

const states: readonly TaskState[] = [
  "pending",
  "processing",
  "undoing",
  "halted",
  "processed",
  "undone",
];

/** How many tasks of this version are in each state; each leads to their list. */
function WorkflowTasks({ name }: { readonly name: string }) {
  return (
    <Section
      title="Tasks"
      end={<Link to={`/failures?${new URLSearchParams({ workflow: name })}`}>Failures</Link>}
    >
      <ul className="counts">
        {states.map((state) => (
          <StateCount key={state} workflow={name} state={state} />
        ))}
      </ul>
    </Section>
  );
}

function StateCount({ workflow, state }: { readonly workflow: string; readonly state: TaskState }) {
  const { data, error } = useWorkflowCount(workflow, state);
  const { word, icon, tone } = taskStyles[state];
  return (
    <li>
      <Link to={`/tasks?${new URLSearchParams({ state, workflow })}`} className="count">
        <span className="count-word">
          <Icon name={icon} className={`tone-${tone}`} />
          {word}
        </span>
        <strong>
          {data === undefined
            ? error === null
              ? "…"
              : "–"
            : `${formatCount(data.count)}${data.complete ? "" : "+"}`}
        </strong>
      </Link>
    </li>
  );
}

/** What a step may take, and what is done about its failure. */
function StepPolicyView({ step }: { readonly step: StepDefinition }) {
  return isCall(step) ? <CallView step={step} /> : <WaitView step={step} />;
}

type Waiting = WaitDefinition | SignalDefinition | ApprovalDefinition;

/** What a step waits for, and what follows if that does not come. */
function WaitView({ step }: { readonly step: Waiting }) {
  const { name, after, onlyIf } = step;
  return (
    <div className="section-body step-policy">
      <h3>{name}</h3>
      <div className="step-sides">
        <Facts
          facts={[
            ["Kind", waitWords(step)],
            ["After", after.length === 0 ? "the start" : after.join(", ")],
            ...endFacts(step),
            ["Undone by", "nothing: it is cut short"],
            ...(onlyIf === null
              ? []
              : [["Only if", <code>{JSON.stringify(onlyIf)}</code>] as const]),
          ]}
        />
        {"show" in step && <JsonView value={step.show} label={`what is shown of ${name}`} />}
        {"until" in step && <JsonView value={step.until} label={`the end of ${name}`} />}
      </div>
    </div>
  );
}

/** How the wait ends that does not end as it should. */
function endFacts(step: Waiting): readonly (readonly [string, string])[] {
  if ("audience" in step) return approvalFacts(step);
  if ("signal" in step) {
    if (step.within === null) return [];
    return [
      ["None by then", step.onDeadline === "fail" ? thenOf(step.onFailure) : "the task goes on"],
    ];
  }
  if (!("until" in step)) return [];
  return [
    ["At most", step.atMost === undefined ? "any time" : formatDuration(step.atMost)],
    ["No instant", thenOf(step.onFailure)],
  ];
}

const atDeadline = {
  approve: "it counts as approved",
  reject: "it counts as rejected",
  fail: "the step has failed",
} as const;

/** Who decides a step, and what follows if they reject it or do not decide. */
function approvalFacts(step: ApprovalDefinition): readonly (readonly [string, string])[] {
  const { excludesSubmitter, excludes, remindAfter, onDeadline, onFailure, within } = step;
  const excluded = [
    ...(excludesSubmitter ? ["who submitted the task"] : []),
    ...excludes.map((one) => JSON.stringify(one)),
  ];
  return [
    ["Not", excluded.length === 0 ? "no one of the audience is excluded" : excluded.join(", ")],
    ["Reminded", remindAfter === null ? "never" : `every ${formatDuration(remindAfter)}`],
    ...(within === null ? [] : [["None by then", atDeadline[onDeadline]] as const]),
    ["Rejected", thenOf(onFailure)],
  ];
}

const thenOf = (onFailure: StepPolicy["onFailure"]): string =>
  onFailure === "undo" ? "the task is undone" : "the task halts for an operator";

function CallView({ step }: { readonly step: CallDefinition }) {
  const { name, agent, operation, undo, onlyIf, input, after } = step;
  return (
    <div className="section-body step-policy">
      <h3>{name}</h3>
      <div className="step-sides">
        <Facts
          facts={[
            ["Agent", <Link to={agentPath(agent)}>{agent}</Link>],
            ["Operation", operation],
            ["After", after.length === 0 ? "the start" : after.join(", ")],
            ...policyFacts(step),
            ["Sent again", requeuesOf(step)],
            ["Undone by", undo === null ? "nothing" : `${undo.operation}, ${retriesOf(undo)}`],
            ...(onlyIf === null
              ? []
              : [["Only if", <code>{JSON.stringify(onlyIf)}</code>] as const]),
          ]}
        />
        <JsonView value={input} label={`the input of ${name}`} />
      </div>
    </div>
  );
}

const policyFacts = (policy: StepPolicy) =>
  [
    ["Start within", formatDuration(policy.startWithin)],
    ["Complete within", completeWithin(policy)],
    ["Attempts", retriesOf(policy)],
    ["Cool-down", coolDownOf(policy)],
    ["Then", thenOf(policy.onFailure)],
  ] as const;

/** How long it may wait for an Agent that takes it. */
const requeuesOf = ({ maxRequeues }: CallDefinition): string =>
  maxRequeues === undefined
    ? "until an Agent takes it"
    : `${maxRequeues} times in a row, then the task halts for an operator`;

const completeWithin = ({ completeWithin: limit, extendUpTo }: StepPolicy): string =>
  extendUpTo === undefined
    ? formatDuration(limit)
    : `${formatDuration(limit)}, by heartbeats up to ${formatDuration(extendUpTo)}`;

const retriesOf = ({ retry }: StepPolicy): string =>
  retry.failures === 1
    ? "one"
    : `${retry.failures}, after ${formatDuration(retry.backoff)} to ${formatDuration(retry.max)}`;

function coolDownOf({ coolDown }: StepPolicy): string {
  if (coolDown === null) return "none";
  const times = coolDown.times === null ? "without limit" : `${coolDown.times} times`;
  return `${formatDuration(coolDown.wait)}, ${times}`;
}
