import { storeUrls } from "@holdfast/runtime";
import type { Client } from "pg";
import { isNotMigrated, toStoreFault } from "../postgres/postgres-error.ts";
import { query } from "../postgres/query.ts";
import { connectStore } from "../postgres/store-client.ts";
import { readWorkflowNames } from "../workflows/find-names.ts";
import { migrate } from "./migrate.ts";

export interface ProjectStore {
  /** The id of the project, a UUID. */
  readonly project: string;
  /** Whether it takes a store that another installation has used. */
  readonly takesOver: boolean;
}

const findInstallation = query("find-installation");
const claimInstallation = query("claim-installation");

/**
 * Migrates the store at `url` and gives it to a project that is developed with it. False, and
 * nothing is changed: another installation has used the store, be it another project or services
 * that were started in another way.
 */
export async function migrateForProject(
  url: string,
  { project, takesOver }: ProjectStore,
): Promise<boolean> {
  const client = await connectStore(storeUrls(url), { application_name: "holdfast dev" });
  try {
    if (!takesOver && (await isForeign(client, project))) return false;
    await migrate(url);
    return (await claimInstallation(client, { project, takesOver })).length === 1;
  } finally {
    await client.end();
  }
}

/** Whether something has used the store, and not this project. */
async function isForeign(client: Client, project: string): Promise<boolean> {
  const [found] = await unlessMissing(findInstallation(client, {}));
  if (found === undefined) {
    // No store yet, or one of an earlier release.
    return (await unlessMissing(readWorkflowNames(client))).length > 0;
  }
  return found.project === null ? found.isUsed === true : found.project !== project;
}

const unlessMissing = <Row>(found: Promise<readonly Row[]>): Promise<readonly Row[]> =>
  found.catch((error: unknown) => {
    const fault = toStoreFault(error);
    if (isNotMigrated(fault)) return [];
    throw fault;
  });
