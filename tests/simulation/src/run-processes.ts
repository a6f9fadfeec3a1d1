import {
  type Host,
  runAgents,
  runScheduler,
  runSupervisor,
  startHost,
} from "@holdfast/testing/simulator";
import { simulatedAgents } from "./agents.ts";
import type { Mutation } from "./mutation.ts";
import type { PortsOf } from "./ports.ts";
import { type RemoteService, refusingGateway } from "./remote.ts";
import type { Order, Scenario } from "./scenario.ts";
import type { SubmissionFront } from "./submission-front.ts";
import { sharesKeys as keysAreShared } from "./workflows.ts";
import type { World } from "./world.ts";

interface Options {
  readonly scenario: Scenario;
  readonly mutation: Mutation;
  readonly service: RemoteService;
  readonly portsOf: PortsOf;
  readonly front: SubmissionFront;
}

type Run = (host: Host, stop: AbortSignal) => Promise<void>;
type Runs = Readonly<Record<"scheduler" | "supervisor" | "agent" | "submission", Run>>;

/** Runs the processes of the scenario, each of which is started again when it ends. */
export function runProcesses(world: World, options: Options): void {
  const { scenario } = options;
  const runs = runsOf(world, options);
  const keepAll = (role: keyof Runs, count: number): void => {
    for (let instance = 1; instance <= count; instance += 1) {
      keepRunning(world, runs, { role, instance });
    }
  };
  keepAll("scheduler", scenario.schedulers);
  keepAll("supervisor", scenario.supervisors);
  keepAll("agent", scenario.agents);
  keepAll("submission", scenario.submissions);
}

function runsOf(world: World, { scenario, mutation, service, portsOf, front }: Options): Runs {
  const orders = new Map<string, Order>(scenario.orders.map((order) => [order.name, order]));
  const scriptOf = (order: string, step: string) => orders.get(order)?.scripts[step] ?? "fine";
  const sharesKeys = (order: string) => {
    const definition = orders.get(order)?.definition;
    return definition === undefined || keysAreShared(definition);
  };
  return {
    scheduler: (host, stop) =>
      runScheduler(host, portsOf(host), {
        stop,
        maxInFlight: mutation.maxInFlight ?? scenario.maxInFlight,
        identity: mutation.identity ?? "required",
        watch: world.watcherOf(host),
      }),
    supervisor: (host, stop) =>
      runSupervisor(host, portsOf(host), { stop, recoveryDelay: scenario.recoveryDelay }),
    submission: (host, stop) => front.serve(host, portsOf(host), stop),
    agent(host, stop) {
      const gateway = refusingGateway(world.random, mutation.habits);
      const agents = simulatedAgents(world, host, { service, gateway, scriptOf, sharesKeys });
      const { slots, beats } = scenario;
      return runAgents(host, portsOf(host), { stop, agents, slots, beats });
    },
  };
}

interface Process {
  readonly role: keyof Runs;
  readonly instance: number;
  /** How often it was started, with this start. */
  readonly start?: number;
}

function keepRunning(world: World, runs: Runs, { role, instance, start = 1 }: Process): void {
  const { random, timeline } = world;
  const host = startHost(world, { name: `${role} ${instance}.${start}`, role });
  world.tell(host.name, () => "starts");
  const stop = new AbortController();
  host.onStop(() => stop.abort());
  if (role === "scheduler") world.schedulers.add(host);
  host.onDeath(() => {
    world.schedulers.delete(host);
    const down = world.healedAt === null ? 20 + random.below(800) : 0;
    timeline.after(down, () => keepRunning(world, runs, { role, instance, start: start + 1 }));
  });
  void runs[role](host, stop.signal).then(host.kill);
}
