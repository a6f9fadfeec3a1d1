import http from "node:http";
import { ContractFault } from "@holdfast/domain";

type Environment = Readonly<Record<string, string | undefined>>;

/** What is on this machine is reached without a proxy, whatever the environment says. */
const loopback = ["localhost", "127.0.0.1", "::1", "[::1]"] as const;

/**
 * Has `fetch` use the proxies that the environment names, as curl does: `HTTPS_PROXY` and
 * `HTTP_PROXY`, except for the hosts in `NO_PROXY` and for this machine, each in capitals or not.
 * Before Node 24.14 nothing is changed. Throws `config.invalid` for what is no URL of a proxy.
 */
export function useProxiesOf(env: Environment): void {
  const valueOf = (name: string): string => env[name.toLowerCase()] || env[name] || "";
  const named = ["HTTPS_PROXY", "HTTP_PROXY"].filter((name) => valueOf(name) !== "");
  for (const name of named) mustBeProxy(name, valueOf(name));
  if (named.length === 0 || valueOf("NO_PROXY").trim() === "*") return;
  const without = [valueOf("NO_PROXY"), ...loopback].filter((one) => one !== "").join(",");
  const { setGlobalProxyFromEnv } = http as { setGlobalProxyFromEnv?: (env: Environment) => void };
  setGlobalProxyFromEnv?.({
    https_proxy: valueOf("HTTPS_PROXY"),
    http_proxy: valueOf("HTTP_PROXY"),
    no_proxy: without,
  });
}

/** The value is not repeated: a URL of a proxy may hold a password. */
function mustBeProxy(name: string, value: string): void {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url !== null && /^https?:$/.test(url.protocol)) return;
  throw new ContractFault(
    "config.invalid",
    `${name} must be the URL of a proxy, such as http://proxy.example:3128`,
  );
}
