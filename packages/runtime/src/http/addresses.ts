import { BlockList, isIP, isIPv4 } from "node:net";
import { ContractFault } from "@holdfast/domain";

/** Proxies whose `X-Forwarded-For` is believed. */
export interface Proxies {
  isTrusted(address: string): boolean;
}

export const noProxies: Proxies = { isTrusted: () => false };

/** Names for ranges of addresses, as Express and Fastify have them. */
const ranges: Readonly<Record<string, readonly string[]>> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  linklocal: ["169.254.0.0/16", "fe80::/10"],
  uniquelocal: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
};

/**
 * Reads `TRUSTED_PROXIES`. Throws `config.invalid` for what is no address and no range of
 * addresses.
 */
export function readProxies(list: string): Proxies {
  const blocks = new BlockList();
  const entries = list.split(",").map((entry) => entry.trim());
  for (const entry of entries.filter((one) => one !== "")) {
    for (const range of ranges[entry] ?? [entry]) addRange(blocks, range);
  }
  return { isTrusted: (address) => blocks.check(address, familyOf(address)) };
}

function addRange(blocks: BlockList, range: string): void {
  const [address = "", bits] = range.split("/");
  const most = isIPv4(address) ? 32 : 128;
  const length = bits === undefined ? most : Number(bits);
  if (isIP(address) === 0 || !Number.isInteger(length) || length < 0 || length > most) {
    throw new ContractFault(
      "config.invalid",
      `TRUSTED_PROXIES: ${range} is no address, no range such as 10.0.0.0/8, and none of ${Object.keys(ranges).join(", ")}`,
    );
  }
  blocks.addSubnet(address, length, familyOf(address));
}

const familyOf = (address: string): "ipv4" | "ipv6" => (isIPv4(address) ? "ipv4" : "ipv6");

/**
 * The address of the client: of the connection, or, behind trusted proxies, the last one that no
 * trusted proxy has. What a client wrote before that is not believed.
 */
export function callerAddress(
  peer: string,
  forwarded: string | readonly string[] | undefined,
  proxies: Proxies,
): string {
  let address = plainAddress(peer);
  if (forwarded === undefined || !proxies.isTrusted(address)) return address;
  for (const hop of [forwarded].flat().join().split(",").toReversed()) {
    const next = plainAddress(hop);
    if (isIP(next) === 0) return address;
    address = next;
    if (!proxies.isTrusted(address)) return address;
  }
  return address;
}

/**
 * An address without the port that some proxies add and without the zone of IPv6, and IPv4 as IPv4.
 */
export function plainAddress(text: string): string {
  const [, host = text.trim()] =
    /^\s*(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?\s*$/.exec(text)?.filter(Boolean) ?? [];
  const [address = ""] = host.split("%");
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/**
 * The addresses that limits count as one: an IPv4 address, or the /64 of IPv6 that one customer of
 * a provider has.
 */
export function addressBlock(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address.split("::");
  const first = groupsOf(head);
  const last = groupsOf(tail ?? "");
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => 0);
  const groups = tail === undefined ? first : [...first, ...zeros, ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

const groupsOf = (text: string): readonly number[] =>
  text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));

const loopback = readProxies("loopback");

/**
 * Whether a name or an address, with or without the brackets of IPv6, leads to this host from this
 * host alone.
 */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  return name === "localhost" || loopback.isTrusted(name);
}
