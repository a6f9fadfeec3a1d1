import { adviceFor as adviceForServer } from "@holdfast/diagnosis";
import type { Fault } from "@holdfast/domain";
import { usage } from "./command-line.ts";

/** What went wrong, and what to do about it. */
export function adviceFor(fault: Fault): string {
  if (fault.code === "cli.usage") return `${fault.message}\n\n${usage}`;
  if (fault.code === "config.invalid") {
    return `${fault.message}\nEach has an option as well: see holdfast --help.`;
  }
  return adviceForServer(fault);
}
