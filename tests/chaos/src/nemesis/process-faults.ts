import { setTimeout as sleep } from "node:timers/promises";
import type { Breakable, Member } from "../system/kept-processes.ts";
import { between, pick } from "./chance.ts";
import type { FaultClass, Field } from "./fault-class.ts";

const services = ["submission", "scheduler", "agent", "supervisor"] as const;

/** Processes that die, stand still, or are replaced. */
export const processFaults: readonly FaultClass[] = [
  ...services.map(killed),
  ...(["scheduler", "agent", "supervisor"] as const).map(frozen),
  {
    name: "rolling-restart",
    server: null,
    weight: 2,
    async strike({ environment, random }) {
      const service = pick(services, random);
      for (const { process } of membersOf(environment.processes.members, service)) {
        await process?.[Symbol.asyncDispose]();
      }
      return { target: service };
    },
  },
];

function killed(service: Breakable): FaultClass {
  return {
    name: `${service}-killed`,
    server: null,
    weight: service === "scheduler" || service === "agent" ? 6 : 3,
    strike: (field) =>
      onProcess(field, service, async ({ name, process }) => {
        const recoverFrom = Date.now();
        process.signal("SIGKILL");
        await process.exited;
        return { target: name, recoverFrom };
      }),
  };
}

/**
 * Freezes a process, maybe for longer than a step may take: it comes back to find its work with
 * another.
 */
function frozen(service: Breakable): FaultClass {
  return {
    name: `${service}-frozen`,
    server: null,
    weight: 4,
    strike: (field) =>
      onProcess(field, service, async ({ name, process }) => {
        const recoverFrom = Date.now();
        const duration = between(500, 6_000, field.random);
        process.signal("SIGSTOP");
        await sleep(duration);
        process.signal("SIGCONT");
        return { target: `${name} for ${duration} ms`, recoverFrom };
      }),
  };
}

type Running = Member & { readonly process: NonNullable<Member["process"]> };

function onProcess<Result>(
  { environment, claim }: Field,
  service: Breakable,
  work: (member: Running) => Promise<Result>,
): Promise<Result> {
  const running = () =>
    membersOf(environment.processes.members, service).filter((member) => member.process !== null);
  return claim(running, (member) => work(member as Running));
}

const membersOf = (members: readonly Member[], service: Breakable): readonly Member[] =>
  members.filter((member) => member.service === service);
