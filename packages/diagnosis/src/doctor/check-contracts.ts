import { type ContractDifference, differenceText } from "@holdfast/state-store";
import { type Finding, orFine, unseen, wrong } from "./finding.ts";

/**
 * Whether running instances of Agents can do what stored workflows ask for, by the contracts of
 * both.
 */
export function checkContracts(differences: readonly ContractDifference[]): readonly Finding[] {
  const differing = differences.filter(
    ({ isRetired, reading }) => !isRetired && reading !== "fits",
  );
  const found = differing.slice(0, mostShown).map((difference) => {
    const { agent, operation, workflow, reading } = difference;
    return reading === "unfit"
      ? wrong(
          "agents.contracts",
          differenceText(difference),
          `roll the Agent ${agent} to a release that fits ${workflow}, or retire ${workflow}; requests go to other instances meanwhile, and tasks without one halt after some two minutes`,
        )
      : unseen(
          "agents.contracts",
          differenceText(difference),
          `store the workflow that was made with the new contract of ${operation}, or ask again once the roll-out is over`,
        );
  });
  const fit = "every running instance has contracts that fit the stored workflows";
  return orFine(found, "agents.contracts", fit);
}

const mostShown = 20;
