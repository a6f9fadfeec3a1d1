import { UsageError } from "../api/usage-error.ts";
import type { Invocation } from "../api/verb.ts";

/** The main modules of the services: each makes the process its service, and ends it. */
const mains = {
  submission: () => import("@holdfast/submission-service/main"),
  // The same service, in the role that operators have a process of its own for.
  operations: () => import("@holdfast/submission-service/main"),
  scheduler: () => import("@holdfast/scheduler-service/main"),
  supervisor: () => import("@holdfast/supervisor-service/main"),
  console: () => import("@holdfast/console-service/main"),
  agent: () => import("@holdfast/agent-service/main"),
} as const satisfies Readonly<Record<string, () => Promise<object>>>;

type Startable = keyof typeof mains;

export const startable = Object.keys(mains) as readonly Startable[];

/**
 * Makes this process a service, until a signal to stop. The service reads the environment, and ends
 * the process.
 */
export async function start({ operands, flag }: Pick<Invocation, "operands" | "flag">) {
  const name = serviceNamed(operands[0] ?? "");
  // The Supervisor looks for it on the command line, where it stands as it is.
  if (flag("once") && name !== "supervisor") {
    throw new UsageError(`--once is for the supervisor: the ${name} works until it is stopped`);
  }
  if (name === "operations") process.env["ROLE"] = roleOf(process.env["ROLE"]);
  await mains[name]();
  return { value: undefined };
}

function serviceNamed(given: string): Startable {
  const name = startable.find((one) => one === given);
  if (name !== undefined) return name;
  throw new UsageError(`There is no service ${given}: name one of ${startable.join(", ")}`);
}

function roleOf(given: string | undefined): string {
  if (given === undefined || given === "" || given === "operations") return "operations";
  throw new UsageError(`ROLE is ${given}: unset it, or run holdfast start submission`);
}
