import { serverUrls } from "@holdfast/runtime";
import type { Options } from "amqplib";

/** Seconds. Three missed ones end a connection that has gone silent. */
const heartbeat = 5;

/** The options of the client for each node of a URL. */
export const nodesOf = (url: string): readonly Options.Connect[] =>
  serverUrls(url).map((node) => optionsOf(new URL(node)));

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
