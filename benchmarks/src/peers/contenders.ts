import type { ForeignPeer } from "./foreign-programs.ts";

/** A system that takes part in the comparison. */
export interface Contender {
  /** How it is called in options and in JSON. */
  readonly name: string;
  readonly title: string;
  /** Its program, in the folder `contenders`, with its arguments. */
  readonly program: string;
  readonly shape: string;
  /** How many processes of the program share the orders. */
  readonly processes: number;
  /** Which of the common servers it uses. */
  readonly servers: readonly ("postgres" | "broker")[];
  /** The peer of another language whose programs its own starts. */
  readonly foreign?: ForeignPeer;
}

export const holdfast: Contender = {
  name: "holdfast",
  title: "Holdfast",
  program: "holdfast.ts",
  shape: "a Scheduler; Agents in a process of their own",
  processes: 1,
  servers: ["postgres", "broker"],
};

export const peers: readonly Contender[] = [
  {
    name: "restate",
    title: "Restate, services",
    program: "restate-services.ts",
    shape: "each step a service in another process",
    processes: 1,
    servers: [],
  },
  {
    name: "restateRecorded",
    title: "Restate, services + run",
    program: "restate-recorded.ts",
    shape: "the same, and in it a `ctx.run`",
    processes: 1,
    servers: [],
  },
  {
    name: "restateInline",
    title: "Restate, inline",
    program: "restate-inline.ts",
    shape: "each step a `ctx.run` in the handler",
    processes: 1,
    servers: [],
  },
  {
    name: "dbos",
    title: "DBOS",
    program: "dbos.ts",
    shape: "each step a `runStep` in the workflow",
    processes: 1,
    servers: ["postgres"],
  },
  {
    name: "dbosTwo",
    title: "DBOS, two processes",
    program: "dbos.ts",
    shape: "the same, twice, half of the orders each",
    processes: 2,
    servers: ["postgres"],
  },
  {
    name: "graphileWorker",
    title: "graphile-worker",
    program: "graphile-worker.ts",
    shape: "each step's job adds the next one's",
    processes: 1,
    servers: ["postgres"],
  },
  {
    name: "pgBoss",
    title: "pg-boss",
    program: "pg-boss.ts",
    shape: "the same, in batches",
    processes: 1,
    servers: ["postgres"],
  },
  {
    name: "temporal",
    title: "Temporal",
    program: "temporal.ts",
    shape: "each step an activity; server, and a worker in Go",
    processes: 1,
    servers: ["postgres"],
    foreign: "temporal",
  },
  {
    name: "river",
    title: "River",
    program: "river.ts",
    shape: "each step's job inserts the next one's; Go",
    processes: 1,
    servers: ["postgres"],
    foreign: "river",
  },
  {
    name: "celery",
    title: "Celery on RabbitMQ",
    program: "celery.ts",
    shape: "a chain of three tasks; four processes of Python",
    processes: 1,
    servers: ["broker"],
    foreign: "celery",
  },
];
