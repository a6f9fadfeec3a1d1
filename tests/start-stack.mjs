import { migrate } from "../packages/state-store/src/index.ts";
import { startTestStack } from "./servers/src/start-test-stack.ts";

/** Starts one Postgres and one RabbitMQ for the whole run and tells the tests where they are. */
export default async function startStack() {
  globalThis.holdfastTestStack = await startTestStack(migrate);
}
