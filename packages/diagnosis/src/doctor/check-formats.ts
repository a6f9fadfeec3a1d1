import type { UnreadFormats } from "@holdfast/state-store";
import { count } from "../print/count.ts";
import { type Finding, orFine, wrong } from "./finding.ts";

/** Whether every process that runs can read every stored workflow. */
export const checkFormats = (found: readonly UnreadFormats[]): readonly Finding[] =>
  orFine(
    found.map(({ service, instance, version, workflows, workflow }) =>
      wrong(
        "workflows.formats",
        `${service} ${instance} (${version}) cannot read ${workflow}${workflows === 1 ? "" : ` and ${count(workflows - 1, "other workflow")}`}: a later release stored ${workflows === 1 ? "it" : "them"}`,
        "upgrade that process: it leaves the tasks of such workflows to the others, and where all of its service are of its release, they wait",
      ),
    ),
    "workflows.formats",
    "every process can read every stored workflow",
  );
