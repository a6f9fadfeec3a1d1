import { randomUUID } from "node:crypto";
import { queryOnce } from "@holdfast/local-stack";

/**
 * Makes a login for tests that may do what operators' routes need, and no more. It goes with
 * `resources`.
 */
export async function operationsUrl(
  owner: string,
  resources: Pick<AsyncDisposableStack, "defer">,
): Promise<string> {
  const name = `operations_${randomUUID().slice(0, 8)}`;
  await queryOnce(owner, `create role ${name} login password 'secret' in role holdfast_operations`);
  resources.defer(async () => void (await queryOnce(owner, `drop role ${name}`)));
  return Object.assign(new URL(owner), { username: name, password: "secret" }).href;
}
