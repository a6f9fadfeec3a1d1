import { once } from "node:events";
import { parseArgs } from "node:util";
import { startLocalStack } from "./start-local-stack.ts";

const { values } = parseArgs({ options: { fresh: { type: "boolean", default: false } } });
const say = (line: string) => void process.stdout.write(`${line}\n`);

const asked = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
await using stack = await startLocalStack({ fresh: values.fresh, log: say });
say(`STATE_STORE_URL=${stack.postgres.url}`);
say(`BROKER_URL=${stack.broker.url}`);
say("Ctrl-C stops them.");
// Waiting for a signal alone does not keep a process alive.
const alive = setInterval(() => {}, 60_000);
await asked;
clearInterval(alive);
