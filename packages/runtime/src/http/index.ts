export { type Proxies, readProxies } from "./addresses.ts";
export { encodingWeight, varyBy } from "./encodings.ts";
export {
  defaultLimits,
  type Guard,
  type GuardOptions,
  guardedOptions,
  noRoom,
  onGone,
  openGuard,
  safeHeaders,
} from "./guarded-server.ts";
export {
  AddressShare,
  CorsOrigins,
  guardSettings,
  HttpNames,
  MaxConnections,
  TrustedProxies,
} from "./http-settings.ts";
export { listenAsSet } from "./listen-at.ts";
export { type ProblemText, problemBody, problemType, titleOf } from "./problem-text.ts";
export { nameRequest, requestIdHeader } from "./request-id.ts";
export type { Caller, Held, Shares } from "./shares.ts";
