import { cpus } from "node:os";
import { queryOnce } from "@holdfast/local-stack";

/** When something was measured, and on what. */
export interface Setting {
  readonly date: string;
  readonly machine: string;
  readonly postgres: string;
}

/** `url`: of the server that was measured. */
export async function settingOf(url: string): Promise<Setting> {
  const [server] = await queryOnce<{ version: string }>(
    url,
    "select split_part(current_setting('server_version'), ' ', 1) as version",
  );
  const cores = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cores.length} cores (${cores[0]?.model.trim() ?? "unknown"})`,
    postgres: server?.version ?? "unknown",
  };
}
