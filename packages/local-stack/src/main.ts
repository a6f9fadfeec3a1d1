import { once } from "node:events";
import { parseArgs } from "node:util";
import { startLocalStack } from "./start-local-stack.ts";

const { values } = parseArgs({ options: { fresh: { type: "boolean", default: false } } });
const say = (line: string) => void process.stdout.write(`${line}\n`);

// Listened to from the start: Ctrl-C while the servers start stops them once they can be.
const asked = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
// Waiting for a signal alone does not keep a process alive.
const alive = setInterval(() => {}, 60_000);
try {
  await using stack = await startLocalStack({ fresh: values.fresh, log: say });
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
