import { createHash } from "node:crypto";
import { isApplicationName } from "./access/application-names.ts";
import { isOperatorName } from "./access/operator-names.ts";

/** How processes sign: service, host, process id and a random part; see `runService`. */
const instance = /^(.+?)-.+-\d+-[0-9a-f]{6}$/;

export const isProcessName = (name: string): boolean => instance.test(name);

/**
 * What customers read in the place of the name of a process: the service, and a short name that is
 * always the same for that process. Host names and process ids are for operators; the store keeps
 * them. Other names, such as those of people, stay as they are.
 */
export function publicName(name: string): string {
  const isNoProcess = isOperatorName(name) || isApplicationName(name);
  const [, service] = isNoProcess ? [] : (instance.exec(name) ?? []);
  if (service === undefined) return name;
  return `${service}-${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;
}
