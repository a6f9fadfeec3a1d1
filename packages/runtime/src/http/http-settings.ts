import { Type } from "typebox";
import { Integer, Text } from "../config/config.ts";
import { readProxies } from "./addresses.ts";
import { readOrigins } from "./cors.ts";
import type { GuardOptions } from "./guarded-server.ts";
import { readNames } from "./local-names.ts";

/**
 * Percent of connections, streams, waits for results and bytes of bodies and answers that one
 * address may hold: an IPv4 address, or a /64 of IPv6. Behind a proxy set TRUSTED_PROXIES, or all
 * its clients are one address.
 */
export const AddressShare = Integer({ default: 25, minimum: 1, maximum: 100 });

/** Connections at a time; a further one is closed at once. */
export const MaxConnections = Integer({ default: 2_000, minimum: 1, maximum: 100_000 });

/**
 * Proxies whose X-Forwarded-For is believed: addresses, ranges such as 10.0.0.0/8, and loopback,
 * linklocal or uniquelocal, with commas between them.
 */
export const TrustedProxies = Type.Optional(Text());

/**
 * Names besides localhost under which it is called while HTTP_HOST is a loopback address, with
 * commas between them.
 */
export const HttpNames = Type.Optional(Text());

/**
 * Origins whose pages may ask from a browser, with commas between them: `https://shop.example`,
 * `http://localhost:*` with any port, or `*` for all. Unset: none but its own pages.
 */
export const CorsOrigins = Type.Optional(Text());

interface HttpSettings {
  readonly MAX_CONNECTIONS: number;
  readonly REQUEST_TIMEOUT: number;
  readonly ADDRESS_SHARE: number;
  readonly TRUSTED_PROXIES?: string;
  readonly HTTP_NAMES?: string;
  readonly CORS_ORIGINS?: string;
  readonly SHUTDOWN_GRACE: number;
}

/**
 * The share of the grace that clients have for what they began: broker and store are closed in the
 * rest.
 */
const shareOfGrace = 0.7;

/** What the settings of a service say of its guard. Throws `config.invalid`. */
export const guardSettings = (config: HttpSettings): GuardOptions => ({
  connections: config.MAX_CONNECTIONS,
  requestTimeout: config.REQUEST_TIMEOUT,
  addressShare: config.ADDRESS_SHARE,
  proxies: readProxies(config.TRUSTED_PROXIES ?? ""),
  names: readNames(config.HTTP_NAMES ?? ""),
  origins: readOrigins(config.CORS_ORIGINS ?? ""),
  closeWithin: config.SHUTDOWN_GRACE * shareOfGrace,
});
