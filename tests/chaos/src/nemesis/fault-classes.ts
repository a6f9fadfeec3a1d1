import { brokerFaults } from "./broker-faults.ts";
import { clockFaults } from "./clock-faults.ts";
import { storeFaults } from "./connection-faults.ts";
import type { FaultClass } from "./fault-class.ts";
import { hostileInputFaults } from "./hostile-input.ts";
import { linkFaults } from "./link-faults.ts";
import { messageFaults } from "./message-faults.ts";
import { partnerFaults } from "./partner-faults.ts";
import { processFaults } from "./process-faults.ts";

/** Everything that can be broken. */
export const faultClasses: readonly FaultClass[] = [
  ...processFaults,
  ...storeFaults,
  ...brokerFaults,
  ...linkFaults,
  ...messageFaults,
  ...hostileInputFaults,
  ...clockFaults,
  ...partnerFaults,
];
