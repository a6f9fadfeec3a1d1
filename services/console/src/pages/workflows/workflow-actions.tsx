import { ActionButton } from "../../actions/action-provider.tsx";
import { namedAction } from "../../actions/operation-actions.ts";
import { usePaused } from "./use-paused.ts";

interface Props {
  readonly name: string;
  readonly retired: object | null;
}

/** What operators can do to a workflow as a whole. */
export function WorkflowActions({ name, retired }: Props) {
  const paused = usePaused("workflow", name);
  return (
    <span className="buttons">
      <ActionButton action={namedAction("workflows", paused === null ? "pause" : "resume", name)} />
      <ActionButton
        action={namedAction("workflows", retired === null ? "retire" : "reinstate", name)}
      />
    </span>
  );
}
