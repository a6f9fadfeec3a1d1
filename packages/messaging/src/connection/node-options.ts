import { readFileSync } from "node:fs";
import type { TlsOptions } from "node:tls";
import { type BrokerAddress, readBrokerUrl } from "@holdfast/runtime";
import { credentials, type Options } from "amqplib";

/** What the client is given to connect to one node. */
export interface NodeOptions {
  /** The node's host and port, for messages. */
  readonly place: string;
  readonly connect: Options.Connect;
  readonly socket: object;
}

/** Seconds. Three missed ones end a connection that has gone silent. */
const heartbeat = 5;
/** Milliseconds that a node has to answer, where the URL does not say. */
const connectWithin = 5_000;

/**
 * Reads a URL of the broker for the client, for each node that it names; `name` shows in the
 * broker's list of connections. The files of certificates are read anew each time, so they may be
 * replaced. Throws `config.invalid`, or where a file cannot be read.
 */
export function nodeOptions(url: string, name: string): readonly NodeOptions[] {
  const address = readBrokerUrl(url);
  const { isEncrypted, user, password, vhost, channelMax, frameMax, mechanism } = address;
  const socket = {
    // Without it each small message waits for the delayed ACK of the one before: 44 ms a hop.
    noDelay: true,
    keepAlive: true,
    timeout: address.connectionTimeout ?? connectWithin,
    clientProperties: { connection_name: name },
    ...(isEncrypted ? tlsOptions(address) : {}),
    ...(mechanism === "external" ? { credentials: credentials.external() } : {}),
  };
  return address.nodes.map(({ host: hostname, port }) => ({
    place: [hostname, ...(port === null ? [] : [port])].join(":"),
    connect: {
      protocol: isEncrypted ? "amqps" : "amqp",
      hostname,
      ...(port === null ? {} : { port }),
      ...(user === null && password === null
        ? {}
        : { username: user ?? "", password: password ?? "" }),
      // The client decodes it.
      vhost: encodeURIComponent(vhost),
      heartbeat: address.heartbeat ?? heartbeat,
      ...(channelMax === null ? {} : { channelMax }),
      ...(frameMax === null ? {} : { frameMax }),
    },
    socket,
  }));
}

function tlsOptions({ tls }: BrokerAddress): TlsOptions & { readonly servername?: string } {
  const { cacertfile, certfile, keyfile, passphrase, isVerified, serverName } = tls;
  return {
    ...(cacertfile === null ? {} : { ca: readFileSync(cacertfile) }),
    ...(certfile === null ? {} : { cert: readFileSync(certfile) }),
    ...(keyfile === null ? {} : { key: readFileSync(keyfile) }),
    ...(passphrase === null ? {} : { passphrase }),
    ...(serverName === null ? {} : { servername: serverName }),
    rejectUnauthorized: isVerified,
  };
}
