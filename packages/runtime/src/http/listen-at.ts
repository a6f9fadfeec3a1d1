/** The default address: IPv4 and IPv6, whichever the machine has. */
export const everyAddress = "::";

/** What the kernel answers where it has no IPv6. */
const withoutIPv6: ReadonlySet<unknown> = new Set(["EAFNOSUPPORT", "EADDRNOTAVAIL"]);

/**
 * Listens at `host`. `::` is every address of both families, and every address of IPv4 where the
 * machine has no IPv6.
 */
export async function listenAt<Listening>(
  host: string,
  listen: (host: string) => Promise<Listening>,
): Promise<Listening> {
  try {
    return await listen(host);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (host !== everyAddress || !withoutIPv6.has(code)) throw error;
    return await listen("0.0.0.0");
  }
}

/** A server that answers with its URL once it listens. */
interface HttpListener {
  listen(options: { readonly host: string; readonly port: number }): Promise<string>;
}

/**
 * Has an HTTP server listen where its settings say. Returns a URL under which this machine reaches
 * it.
 */
export async function listenAsSet(
  http: HttpListener,
  { HTTP_HOST: host, HTTP_PORT: port }: { readonly HTTP_HOST: string; readonly HTTP_PORT: number },
): Promise<string> {
  const url = await listenAt(host, (address) => http.listen({ host: address, port }));
  return url.replace(`[${everyAddress}]`, "localhost");
}
