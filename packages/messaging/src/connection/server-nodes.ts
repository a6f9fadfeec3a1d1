import { serverUrls } from "@holdfast/runtime";
import type { Options } from "amqplib";

/** Seconds. Three missed ones end a connection that has gone silent. */
const heartbeat = 5;

interface ServerNodes {
  /** For messages. */
  readonly hosts: string;
  /** All are on this machine. */
  readonly areLocal: boolean;
  /** Moves on to one of the others. */
  readonly next: () => void;
  /** The driver reads it anew for each attempt to connect, and finds what is current then. */
  readonly current: Options.Connect;
}

/** The nodes of a URL. Connections choose one at random, so that those of a lost node spread over the others. */
export function nodesOf(url: string): ServerNodes {
  const nodes = serverUrls(url).map((node) => new URL(node));
  const options = nodes.map(optionsOf);
  let index = Math.floor(Math.random() * nodes.length);
  return {
    hosts: nodes.map(({ host }) => host).join(", "),
    areLocal: nodes.every(({ hostname }) => /^(127\.|localhost$|\[::1\]$)/.test(hostname)),
    next(): void {
      const others = Math.max(1, nodes.length - 1);
      index = (index + 1 + Math.floor(Math.random() * others)) % nodes.length;
    },
    current: new Proxy<Options.Connect>({}, { get: (_, key) => Reflect.get(options[index]!, key) }),
  };
}

function optionsOf({ protocol, hostname, port, username, password, pathname, searchParams }: URL) {
  const number = (name: string) => {
    const value = searchParams.get(name);
    return value === null ? {} : { [name]: Number(value) };
  };
  return {
    protocol: protocol.slice(0, -1),
    hostname: hostname.replace(/^\[|\]$/g, ""),
    ...(port === "" ? {} : { port: Number(port) }),
    ...(username === "" && password === ""
      ? {}
      : { username: decodeURIComponent(username), password: decodeURIComponent(password) }),
    vhost: pathname.slice(1),
    heartbeat,
    ...number("heartbeat"),
    ...number("channelMax"),
    ...number("frameMax"),
  } satisfies Options.Connect;
}
