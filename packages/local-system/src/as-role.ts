/** The rights of one service, on a connection of the owner. */
export function asRole(url: string, role: string): string {
  const address = new URL(url);
  address.searchParams.set("options", `-c role=${role}`);
  return address.href;
}
