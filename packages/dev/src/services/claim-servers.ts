import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { submissionQueue } from "@holdfast/contracts";
import { askBroker } from "@holdfast/local-stack";

/**
 * The project that is developed, and whether it takes servers that another installation has used.
 */
export interface Project {
  readonly project: string;
  readonly takesOver: boolean;
}

/** Names the project of a folder: by the same UUID at each start, also after `--fresh`. */
export function projectOf(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    const project = randomUUID();
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${project}\n`);
    return project;
  }
}

/**
 * Marks a broker as that of a project. It has no messages; its arguments hold the project, and the
 * broker refuses to declare it with others.
 */
const projectQueue = "holdfast.project";

/** Gives a virtual host to a project. False: another installation has used it. */
export async function claimBroker(url: string, { project, takesOver }: Project): Promise<boolean> {
  if (takesOver) await askBroker(url, (channel) => channel.deleteQueue(projectQueue));
  const isMarked = takesOver || (await hasQueue(url, projectQueue));
  if (!isMarked && (await hasQueue(url, submissionQueue))) return false;
  const options = { durable: true, deadLetterExchange: "", deadLetterRoutingKey: project };
  return isNot(406, () => askBroker(url, (channel) => channel.assertQueue(projectQueue, options)));
}

const hasQueue = (url: string, queue: string): Promise<boolean> =>
  isNot(404, () => askBroker(url, (channel) => channel.checkQueue(queue)));

/** Asks, and resolves to false if the broker refuses with this code. */
async function isNot(code: number, ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === code) return false;
    throw error;
  }
}

/** What a person can do where a server is another installation's. */
export const foreignServer = (what: string, setting: string): Error =>
  new Error(
    `The ${what} of ${setting} is used by another installation of Holdfast, whose workflows and messages holdfast dev would take: give this project one of its own, or leave ${setting} unset. If nothing else uses it any more, start with npx holdfast dev --take-over.`,
  );
