import { ContractFault } from "@holdfast/domain";

/** Has a `ContractFault` of `work` say where it happened; a place that moves on is asked for then. */
export function within<T>(place: string | (() => string), work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ContractFault)) throw error;
    const where = typeof place === "string" ? place : place();
    throw new ContractFault(error.code, `${where}: ${error.message}`, { cause: error });
  }
}
