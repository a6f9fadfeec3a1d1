import { once } from "node:events";
import { callbackify } from "node:util";
import { ContractFault } from "@holdfast/domain";
import { injectedFaults, seededRandom } from "@holdfast/runtime";
import type { Client, Pool, QueryResult } from "pg";

type Statement = string | { readonly name: string };
type Callback = (error: Error | null, result: QueryResult) => void;
type Fate = "spared" | "before" | "after";

/**
 * Has the connections of a pool break when `HOLDFAST_STORE_FAULTS` asks for it. `1%@7` breaks them
 * at one statement of a hundred before the server has it, and at another one after the server has
 * carried it out, which the caller cannot tell apart; 7 is the seed.
 */
export function breakConnections(pool: Pool, faults: string | undefined): void {
  if (faults === undefined || faults === "") return;
  const fate = drawFates(faults);
  pool.on("connect", (connected) => {
    const client = connected as unknown as Client;
    const send = client.query.bind(client) as (statement: Statement) => Promise<QueryResult>;

    let isCut = false;
    const lose = async (statement: Statement, when: "before" | "after"): Promise<never> => {
      isCut = true;
      injectedFaults.publish({ fault: "store", when, statement: nameOf(statement) });
      await cut(client);
      throw new Error("Connection terminated unexpectedly");
    };

    const sendOrBreak = async (statement: Statement, when: Fate): Promise<QueryResult> => {
      if (when === "before") return lose(statement, when);
      // What the server refuses has not been carried out: that answer may as well arrive.
      const result = await send(statement);
      // Answers come in order: with one, those to all that was sent after it are lost.
      return when === "after" || isCut ? lose(statement, "after") : result;
    };

    // As the pool calls it, and as we do.
    const query = (statement: Statement, _values?: undefined, callback?: Callback) =>
      callback === undefined
        ? sendOrBreak(statement, fate())
        : callbackify(sendOrBreak)(statement, fate(), callback);
    client.query = query as typeof client.query;
  });
}

function drawFates(faults: string): () => Fate {
  const [, percent, seed = "1"] = /^(\d+(?:\.\d+)?)%(?:@(\d+))?$/.exec(faults) ?? [];
  if (percent === undefined) {
    throw new ContractFault(
      "config.invalid",
      `HOLDFAST_STORE_FAULTS: "${faults}" is not a rate such as 1%, with @seed or without`,
    );
  }
  const rate = Number(percent) / 100;
  const random = seededRandom(Number(seed));
  return () => {
    const drawn = random();
    if (drawn < rate) return "before";
    return drawn < 2 * rate ? "after" : "spared";
  };
}

const nameOf = (statement: Statement): string =>
  typeof statement === "string" ? statement : statement.name;

async function cut({ connection: { stream } }: Client): Promise<void> {
  if (stream.closed) return;
  const closed = once(stream, "close");
  stream.destroy();
  await closed;
}
