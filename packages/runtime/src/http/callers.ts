import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { addressBlock, callerAddress, type Proxies } from "./addresses.ts";
import type { Caller } from "./shares.ts";

/** Says who sent a request. The token is looked at when it matters, once. */
export function openCallers(
  proxies: Proxies,
  isOperator: (headers: IncomingHttpHeaders) => boolean = () => false,
): (request: IncomingMessage) => Caller {
  const callers = new WeakMap<IncomingMessage, Caller>();
  return (request) => {
    const known = callers.get(request);
    if (known !== undefined) return known;
    const { headers, socket } = request;
    const peer = socket.remoteAddress ?? "";
    const address = callerAddress(peer, headers["x-forwarded-for"], proxies);
    let isOne: boolean | null = null;
    const caller: Caller = {
      address,
      block: addressBlock(address),
      get isOperator() {
        isOne ??= isOperator(headers);
        return isOne;
      },
    };
    callers.set(request, caller);
    return caller;
  };
}
