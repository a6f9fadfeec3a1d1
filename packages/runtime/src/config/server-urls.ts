/**
 * Splits a URL that names several servers, `postgres://user@a:5432,b:5432/db`, into one URL for
 * each, in the order given. `URL` itself accepts one host only.
 */
export function serverUrls(url: string): readonly [string, ...string[]] {
  const [, start, hosts, end] = /^([a-z]+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (start === undefined || hosts === undefined) return [url];
  const [first = "", ...others] = hosts.split(",").map((host) => `${start}${host}${end}`);
  return [first, ...others];
}
