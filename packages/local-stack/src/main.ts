import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { holdfastFolder } from "./folders/data-folder.ts";
import { startLocalStack } from "./start-local-stack.ts";

const { values } = parseArgs({ options: { fresh: { type: "boolean", default: false } } });
const say = (line: string) => void process.stdout.write(`${line}\n`);

// Listened to from the start: Ctrl-C while the servers start stops them once they can be.
const asked = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
// Waiting for a signal alone does not keep a process alive.
const alive = setInterval(() => {}, 60_000);
try {
  // Not the folder of `npm start`: both can run at the same time, each with data of its own.
  const dataFolder = join(holdfastFolder(), "stack");
  await using stack = await startLocalStack({ dataFolder, fresh: values.fresh, log: say });
  say(`STATE_STORE_URL=${stack.postgres.url}`);
  say(`BROKER_URL=${stack.broker.url}`);
  say("Ctrl-C stops them.");
  await asked;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  clearInterval(alive);
}
