import { BaseConfig, Duration, Port, Text } from "@holdfast/runtime";
import { AddressShare, HttpNames, MaxConnections, TrustedProxies } from "@holdfast/runtime/http";
import { Type } from "typebox";

/** The settings of the console, by the names of their environment variables. */
export const ConsoleConfig = Type.Object({
  ...BaseConfig.properties,
  /** The submission service with the operators' routes, such as `http://operations:3000`. */
  API_URL: Text({
    format: "url",
    pattern: "^https?://",
    description: "the URL of an HTTP service such as http://operations:3000",
  }),
  /** The address on which the page answers; `::` is every one, IPv4 and IPv6. */
  HTTP_HOST: Text({ default: "::" }),
  /** The port of the page; 0 takes a free one. */
  HTTP_PORT: Port(3_100),
  /** Connections at a time; a further one is closed at once. */
  MAX_CONNECTIONS: MaxConnections,
  /** The time in which a request must have arrived, with its body. */
  REQUEST_TIMEOUT: Duration({ default: "10s", least: "100ms" }),
  ADDRESS_SHARE: AddressShare,
  TRUSTED_PROXIES: TrustedProxies,
  HTTP_NAMES: HttpNames,
});
