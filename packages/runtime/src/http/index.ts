export { type Proxies, readProxies } from "./addresses.ts";
export { guardedOptions } from "./guarded-options.ts";
export {
  defaultLimits,
  type Guard,
  type GuardOptions,
  noRoom,
  openGuard,
} from "./guarded-server.ts";
export { AddressShare, guardSettings, HttpNames, TrustedProxies } from "./http-settings.ts";
export { onGone } from "./on-gone.ts";
export { type ProblemText, problemBody, problemType, titleOf } from "./problem-text.ts";
export { safeHeaders } from "./safe-headers.ts";
export type { Caller, Held, Shares } from "./shares.ts";
