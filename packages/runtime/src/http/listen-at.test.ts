import { expect, test } from "@jest/globals";
import { listenAsSet, listenAt } from "./listen-at.ts";

const refusal = (code: string) => Object.assign(new Error(code), { code });

/** A machine that refuses some addresses, and says at which one it listened. */
const machine =
  (refused: Readonly<Record<string, string>>) =>
  async (host: string): Promise<string> => {
    const code = refused[host];
    if (code !== undefined) throw refusal(code);
    return host;
  };

test.each([
  ["both families where there are both", {}, "::", "::"],
  ["IPv4 where the kernel has no IPv6", { "::": "EAFNOSUPPORT" }, "::", "0.0.0.0"],
  ["IPv4 where no interface has IPv6", { "::": "EADDRNOTAVAIL" }, "::", "0.0.0.0"],
  ["an address that was chosen", {}, "10.1.2.3", "10.1.2.3"],
])("the default listens on %s", async (_, refused, host, expected) => {
  expect(await listenAt(host, machine(refused))).toBe(expected);
});

test.each([
  ["::", "EADDRINUSE"],
  ["::1", "EAFNOSUPPORT"],
])("a port at %s that is refused by %s is not taken elsewhere", async (host, code) => {
  await expect(listenAt(host, machine({ [host]: code }))).rejects.toThrow(code);
});

test.each([
  ["::", "http://localhost:3000"],
  ["::1", "http://[::1]:3000"],
  ["10.1.2.3", "http://10.1.2.3:3000"],
])("the URL of a server at %s is one that this machine can open", async (host, expected) => {
  const http = {
    listen: async ({ host: address, port }: { readonly host: string; readonly port: number }) =>
      `http://${address.includes(":") ? `[${address}]` : address}:${port}`,
  };
  expect(await listenAsSet(http, { HTTP_HOST: host, HTTP_PORT: 3000 })).toBe(expected);
});
