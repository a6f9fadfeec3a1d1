import {
  deadReplyQueue,
  deadRequestQueue,
  expiredQueue,
  replyQueue,
  wakeQueue,
} from "@holdfast/contracts";
import { connectBroker } from "@holdfast/messaging";
import { repeat, runService } from "@holdfast/runtime";
import { openStateStore } from "@holdfast/state-store";
import { claimSteps } from "./claim-steps.ts";
import { SchedulerConfig } from "./config.ts";
import { dispatchSteps } from "./dispatch-steps.ts";
import { dispatches } from "./dispatches.ts";
import { keepDeadLetters } from "./keep-dead-letters.ts";
import { laneWindows } from "./lane-windows.ts";
import { putBackExpired } from "./put-back-expired.ts";
import { recordReplies } from "./record-replies.ts";
import { relaySteps } from "./relay-steps.ts";
