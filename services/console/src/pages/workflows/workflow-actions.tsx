import { ActionButton } from "../../actions/action-provider.tsx";
import { namedAction } from "../../actions/operation-actions.ts";
import { usePaused } from "./use-paused.ts";

interface Props {
  readonly name: string;
  readonly retired: object | null;
  readonly active: object | null;
}

/** What operators can do to a workflow as a whole. */
export function WorkflowActions({ name, retired, active }: Props) {
  const paused = usePaused("workflow", name);
  return (
    <span className="buttons">
      <ActionButton action={namedAction("workflows", paused === null ? "pause" : "resume", name)} />
      {active === null && <ActionButton action={namedAction("workflows", "activate", name)} />}
      <ActionButton
        action={namedAction("workflows", retired === null ? "retire" : "reinstate", name)}
      />
    </span>
  );
}
