import type { OperatedService, Shown } from "./operated.ts";

/** Submits a booking whose steps have just been planned. */
export const submitted = (operated: OperatedService): Promise<Shown> => operated.submit();

/** The first step of the booking fails for good, and so the booking halts. */
export async function halted(operated: OperatedService): Promise<Shown> {
  const { id } = await operated.submit();
  const claims = (await operated.claim()).filter(
    ({ taskId, name }) => taskId === id && name === "reserve",
  );
  await operated.store.applyEvents(
    claims.map(({ taskId, name: step, attempt, token: proof }) => ({
      taskId,
      event: {
        kind: "failed",
        code: "rooms.sold_out",
        transient: false,
        attempted: true,
        effect: "none",
        retryAfter: null,
        step,
        attempt,
        token: proof,
      },
    })),
    { actor: "scheduler-1" },
  );
  return operated.show(id);
}

/** The first step of the booking failed once, and is delayed. */
export async function delayed(operated: OperatedService): Promise<Shown> {
  const { id } = await operated.submit();
  const [one] = (await operated.claim()).filter(
    ({ taskId, name }) => taskId === id && name === "reserve",
  );
  const event = {
    kind: "failed",
    code: "rooms.busy",
    transient: true,
    attempted: true,
    effect: "unknown",
    retryAfter: 600_000,
    step: "reserve",
    attempt: one?.attempt ?? 0,
    token: one?.token ?? "",
  } as const;
  await operated.store.applyEvents([{ taskId: id, event }], { actor: "scheduler-1" });
  return operated.show(id);
}

/** An undo of the booking failed for good, and so the booking halts again. */
export async function haltedUndo(operated: OperatedService): Promise<Shown> {
  const { id } = await operated.submit();
  const report = async (name: string, outcome: "completed" | "failed") => {
    const [one] = (await operated.claim()).filter(
      (found) => found.taskId === id && found.name === name,
    );
    const ref = { step: name, attempt: one?.attempt ?? 0, token: one?.token ?? "" };
    const failure = { code: "rooms.gone", transient: false, attempted: true } as const;
    const event =
      outcome === "completed"
        ? ({ kind: "completed", ...ref } as const)
        : ({ kind: "failed", ...failure, effect: "unknown", retryAfter: null, ...ref } as const);
    const output = outcome === "completed" ? { reservationId: "r-1" } : {};
    await operated.store.applyEvents([{ taskId: id, event, output }], { actor: "scheduler-1" });
  };
  await report("reserve", "completed");
  await operated.onBooking(await operated.show(id), "cancel");
  await report("reserve:undo", "failed");
  return operated.show(id);
}

export const stepOf = ({ steps }: Shown, name: string) => steps.find((step) => step.name === name);
