import { expect, test } from "@jest/globals";
import { shareConnections } from "./share-connections.ts";

/** A store whose operations last until the test ends them. */
function slowStore() {
  const running: { readonly name: string; readonly end: (error?: Error) => void }[] = [];
  const operation = (name: string): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const end = (error?: Error) => (error === undefined ? resolve(name) : reject(error));
    running.push({ name, end });
    return promise;
  };
  return { running, names: () => running.map(({ name }) => name), store: { operation } };
}

test("operations beyond the shared connections wait for their turn, also after one that failed", async () => {
  const { running, names, store } = slowStore();
  const { operation } = shareConnections(store, 2);
  const asked = ["a", "b", "c", "d"].map((name) => operation(name));
  const failed = expect(asked[0]).rejects.toThrow("lost");
  await Promise.resolve();
  expect(names()).toEqual(["a", "b"]);
  running[0]!.end(new Error("lost"));
  await failed;
  expect(names()).toEqual(["a", "b", "c"]);
  running[1]!.end();
  expect(await asked[1]).toBe("b");
  running[2]!.end();
  expect(await asked[2]).toBe("c");
  running[3]!.end();
  expect(await asked[3]).toBe("d");
});
