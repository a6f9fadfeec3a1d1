import { CommandLine } from "../../parts/command-line.tsx";
import { Empty } from "../../parts/empty.tsx";

/** Shown while the service has no task: the commands that make one. */
export function FirstTask() {
  const line = `curl ${location.origin}/v1/tasks -H 'content-type: application/json' -d '{"workflow": "…", "input": {}}'`;
  return (
    <Empty title="There is no task yet">
      <p>Submit one: it appears here.</p>
      <CommandLine name="curl" line={line} />
      <CommandLine name="holdfast" line="holdfast tasks submit <workflow> --input '{}'" />
    </Empty>
  );
}
