import type { HostedAgent } from "@holdfast/agent";
import type { Failpoint } from "@holdfast/runtime";
import type { FaultInjector } from "./fault-injector.ts";
import { brokerPort } from "./simulator/broker/broker-port.ts";
import { type Host, type Role, startHost } from "./simulator/host.ts";
import { type Ports, runAgents, runScheduler, runSupervisor } from "./simulator/processes.ts";
import type { AtOnce, SimulatedStore } from "./simulator/store/simulated-store.ts";
import { storePort } from "./simulator/store/store-port.ts";
import type { World } from "./simulator/world.ts";

interface ProcessesOptions {
  readonly world: World;
  readonly store: AtOnce<SimulatedStore>;
  readonly injector: FaultInjector;
  readonly agents: readonly HostedAgent[];
}

/** Virtual milliseconds until a process that died starts again. */
const restartDelay = 1_000;
const ignored = { publishing: () => {}, confirmed: () => {} };

/**
 * Starts a Scheduler, a Supervisor and a process for each Agent, and starts each again when it
 * dies.
 */
export function startProcesses({ world, store, injector, agents }: ProcessesOptions): void {
  const portsOf = (host: Host): Ports => ({
    store: storePort(world, host, store),
    broker: brokerPort(world, host, { broker: injector.broker, judge: ignored }),
    clock: host.clock,
  });

  const keepRunning = (
    name: string,
    role: Role,
    run: (host: Host, ports: Ports, stop: AbortSignal) => Promise<void>,
  ): void => {
    const host = startHost(world, { name, role });
    const stop = new AbortController();
    host.onStop(() => stop.abort());
    host.onDeath(() => world.timeline.after(restartDelay, () => keepRunning(name, role, run)));
    void run(host, portsOf(host), stop.signal).then(host.kill, host.kill);
  };

  keepRunning("scheduler", "scheduler", (host, ports, stop) =>
    runScheduler(host, ports, { stop, maxInFlight: 200 }),
  );
  keepRunning("supervisor", "supervisor", (host, ports, stop) =>
    runSupervisor(host, ports, { stop, recoveryDelay: 0 }),
  );
  for (const agent of agents) {
    keepRunning(agent.name, "agent", (host, ports, stop) => {
      const failpoint: Failpoint = (at, steps = () => []) => {
        if (injector.kills(agent.name, at, steps())) host.kill();
      };
      return runAgents(host, ports, { stop, agents: [agent], failpoint });
    });
  }
}
