import { setTimeout as sleep } from "node:timers/promises";
import type { Cut, Direction, Link } from "@holdfast/test-servers";
import type { Breakable, Dependency, Member } from "../system/kept-processes.ts";
import { between, pick } from "./chance.ts";
import type { FaultClass, Field } from "./fault-class.ts";

const directions: readonly (readonly Direction[])[] = [
  ["toServer"],
  ["toClient"],
  ["toServer", "toClient"],
];

/** How `commit` goes over the wire: a simple query. */
const commit = Buffer.from("commit\0");
/** The frame with which AMQP 0-9-1 begins to publish: class 60, method 40. */
const basicPublish = Buffer.from([0, 60, 0, 40]);
/** Milliseconds until a busy process should have sent what is waited for. */
const cutWithin = 15_000;
/** Services that commit and publish whenever there is an order. */
const busy: ReadonlySet<Breakable> = new Set(["submission", "scheduler"]);

/** The network between one process and one of its dependencies. All others are fine. */
export const linkFaults: readonly FaultClass[] = [
  {
    name: "link-reset",
    server: null,
    weight: 3,
    strike: (field) =>
      onLink(field, async ({ name, link }) => {
        const recoverFrom = Date.now();
        link.reset();
        return { target: name, recoverFrom };
      }),
  },
  lasting("link-down", (link) => link.takeDown()),
  lasting("link-slow", (link, random) =>
    link.slow({ latencyMs: between(20, 200, random), jitterMs: between(0, 100, random) }),
  ),
  lasting("link-held", (link, random) => link.hold(pick(directions, random))),
  {
    name: "instance-sick",
    server: null,
    weight: 3,
    strike: (field) => onLink(field, isolate(field.random), isToPartners),
  },
  cutting("commit-cut", "store", commit),
  cutting("publish-cut", "broker", basicPublish),
];

function lasting(name: string, disturb: (link: Link, random: () => number) => void): FaultClass {
  return {
    name,
    server: null,
    weight: 3,
    strike: (field) =>
      onLink(field, async ({ name: target, link }) => {
        const duration = between(500, 5_000, field.random);
        disturb(link, field.random);
        await sleep(duration);
        link.heal();
        return { target: `${target} for ${duration} ms` };
      }),
  };
}

/**
 * Long enough for the breakers of this one instance to open; the others reach the remote services.
 */
const isolate =
  (random: () => number) =>
  async ({ name, link }: NamedLink) => {
    const duration = between(3_000, 8_000, random);
    link.takeDown();
    await sleep(duration);
    link.heal();
    return { target: `${name} for ${duration} ms` };
  };

const isToPartners = ({ service }: Member, dependency: Dependency): boolean =>
  service === "agent" && dependency === "partners";

/** Cut at the one moment that matters: this side cannot know whether it arrived. */
function cutting(name: string, dependency: Dependency, pattern: Buffer): FaultClass {
  return {
    name,
    server: null,
    weight: 3,
    strike: (field) =>
      onLink(
        field,
        async ({ name: target, link }) => {
          const when: Cut["when"] = field.random() < 0.5 ? "before" : "after";
          await untilCut(link, { pattern, when });
          return { target: `${target}, ${when}` };
        },
        ({ service }, own) => own === dependency && busy.has(service),
      ),
  };
}

async function untilCut(link: Link, cut: Cut): Promise<void> {
  const before = link.cuts;
  const giveUpAt = performance.now() + cutWithin;
  link.cutAt(cut);
  while (link.cuts === before) {
    await sleep(10);
    if (performance.now() < giveUpAt) continue;
    link.heal();
    throw new Error("nothing was sent that could be cut");
  }
}

interface NamedLink {
  readonly name: string;
  readonly link: Link;
}

function onLink<Result>(
  { environment, claim }: Field,
  work: (target: NamedLink) => Promise<Result>,
  fits: (member: Member, dependency: Dependency) => boolean = () => true,
): Promise<Result> {
  const links = environment.processes.members.flatMap((member) =>
    (Object.entries(member.links) as [Dependency, Link][])
      .filter(([dependency]) => fits(member, dependency))
      .map(([dependency, link]) => ({ name: `${member.name} to ${dependency}`, link })),
  );
  return claim(() => links, work);
}
