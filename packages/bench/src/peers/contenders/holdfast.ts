import { holdfastSubject } from "../../holdfast-subject.ts";
import { startHoldfast } from "../../start-holdfast.ts";
import { runContender } from "../contender-program.ts";

await runContender(async (owner, servers) => {
  const { store, hint, pids } = await startHoldfast(owner, servers);
  return { subject: holdfastSubject({ store, hint }), pids };
});
