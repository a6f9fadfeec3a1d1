import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOfKey, makeKey } from "@holdfast/runtime/principal-keys";

/** People of a project that does not say who is who: they decide for every audience. */
export interface LocalPeople {
  /** The path of the access file that knows them. */
  readonly accessFile: string;
  /** Their keys, by their ids. */
  readonly keys: Readonly<Record<string, string>>;
}

/** Makes two people, so that a step that needs two can be decided. Their keys are new each time. */
export function makePeople(dataFolder: string): LocalPeople {
  const keys = { ada: makeKey(), grace: makeKey() };
  const names = { ada: "Ada Lovelace", grace: "Grace Hopper" };
  const principals = (["ada", "grace"] as const).map((id) => ({
    id,
    name: names[id],
    keys: [digestOfKey(keys[id])],
    approves: ["*"],
  }));
  const accessFile = join(dataFolder, "people.json");
  mkdirSync(dataFolder, { recursive: true });
  writeFileSync(accessFile, `${JSON.stringify({ principals }, null, 2)}\n`, { mode: 0o600 });
  return { accessFile, keys };
}
