import { ContractFault } from "@holdfast/domain";

/** Has a `ContractFault` of `work` say where it happened. */
export function within<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ContractFault)) throw error;
    throw new ContractFault(error.code, `${place}: ${error.message}`, { cause: error });
  }
}
