import { faultCodes } from "./fault-codes.ts";
import { sourceOf } from "./source.ts";

/** Whether a code is a remote service's own word: not what Agents, Schedulers or Supervisors made of it. */
export const isRemoteFault = (code: string): boolean =>
  !Object.hasOwn(faultCodes, code) && sourceOf(code) === "remoteService";
