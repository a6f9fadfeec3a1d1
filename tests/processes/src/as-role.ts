/** The rights of one service, on a connection of the owner. The URL may name several servers. */
export function asRole(url: string, role: string): string {
  const [address = "", search = ""] = url.split("?", 2);
  const parameters = new URLSearchParams(search);
  parameters.set("options", `-c role=${role}`);
  return `${address}?${parameters.toString()}`;
}
