import type { StepDefinition, StepPolicy } from "@holdfast/domain";
import { Link } from "../../app/router.tsx";
import { agentPath } from "../../app/routes.ts";
import { Facts } from "../../parts/facts.tsx";
import { formatDuration } from "../../parts/format.ts";
import { JsonView } from "../../parts/json-view.tsx";

/** What a step may take, and what is done about its failure. */
export function StepPolicyView({ step }: { readonly step: StepDefinition }) {
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
    ["Then", policy.onFailure === "undo" ? "the task is undone" : "the task halts for an operator"],
  ] as const;

/** How long it may wait for an Agent that takes it. */
const requeuesOf = ({ maxRequeues }: StepDefinition): string =>
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
