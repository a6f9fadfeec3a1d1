import { parseArgs } from "node:util";
import { clusterFaults } from "./nemesis/cluster-faults.ts";
import type { FaultClass } from "./nemesis/fault-class.ts";
import { faultClasses } from "./nemesis/fault-classes.ts";
import { alone, lasting, type Profile, type ProfileName, profiles, recoveries } from "./profile.ts";

export interface ChaosOptions {
  readonly profile: Profile;
  readonly seed: number;
  readonly classes: readonly FaultClass[];
  /** End with one line of JSON on the standard output. */
  readonly json: boolean;
}

export const usage = `pnpm chaos [--profile smoke|full|soak|cluster] [--seed N] [--minutes N] [--class NAME [--recoveries N]] [--json]

  --profile NAME   smoke: 60 s, 600 orders, 60 faults (the default);
                   full: 30 min, 20,000 orders, 1,500 faults; soak: 24 h, 500,000 orders;
                   cluster: 2 min, 1,200 orders, 6 faults, on a Postgres with a synchronous
                   standby and three nodes of RabbitMQ: a failover, nodes killed and cut off
  --seed N         plans the same faults as another run with this seed
  --minutes N      the same pace for another time
  --class NAME     one class of faults alone, to measure recovery from it: 3 min, 1,800 orders,
                   10 faults, and nothing else goes wrong;
                   ${faultClasses.map(({ name }) => name).join(", ")}
  --recoveries N   so many faults of that class: one each 3 s, or each 18 s where they break a server;
                   1,000 kills of an Agent take 50 min
  --json           end with one line of JSON; the rest goes to the standard error`;

/** Reads the command line. Throws with what is wrong. */
export function readOptions(args: readonly string[]): ChaosOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      profile: { type: "string", default: "smoke" },
      seed: { type: "string" },
      minutes: { type: "string" },
      class: { type: "string" },
      recoveries: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const classes = classesOf(values.class);
  const faults = positive("recoveries", values.recoveries);
  if (faults !== null && values.class === undefined) {
    throw new Error("--recoveries is of one class of faults: say which with --class");
  }
  const ofClass = () => {
    if (faults === null) return alone;
    return recoveries(classes[0]?.server === null ? "process" : "server", Math.ceil(faults));
  };
  const profile: Profile = values.class === undefined ? profileOf(values.profile) : ofClass();
  const minutes = positive("minutes", values.minutes);
  return {
    profile: minutes === null ? profile : lasting(profile, minutes * 60_000),
    seed: positive("seed", values.seed) ?? 1 + Math.floor(Math.random() * 1_000_000),
    classes: profile.servers === "cluster" ? clusterFaults : classes,
    json: values.json,
  };
}

function profileOf(name: string): Profile {
  if (Object.hasOwn(profiles, name)) return profiles[name as ProfileName];
  throw new Error(`--profile is one of ${Object.keys(profiles).join(", ")}, and not ${name}`);
}

function positive(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const number = Number(text);
  if (number > 0) return number;
  throw new Error(`--${name} must be a number above 0, and not ${text}`);
}

function classesOf(name: string | undefined): readonly FaultClass[] {
  if (name === undefined) return faultClasses;
  const chosen = faultClasses.filter((fault) => fault.name === name);
  if (chosen.length > 0) return chosen;
  throw new Error(`--class is one of ${faultClasses.map((fault) => fault.name).join(", ")}`);
}
