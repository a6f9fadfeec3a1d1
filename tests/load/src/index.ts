export { documentedOrder } from "./documented-order.ts";
export { type AnswerVerdict, judgeAnswers } from "./judge-answers.ts";
export {
  type Effect,
  isEnded,
  judgeOrders,
  stateOf,
  untilEnded,
  type Verdict,
} from "./judge-orders.ts";
export { judgeSubmitted, type SubmittedVerdict } from "./judge-submitted.ts";
export { markdownTable } from "./markdown-table.ts";
export { newTask } from "./new-task.ts";
export { orderPoster, type PostOrder, taskIdOf } from "./post-order.ts";
export { type Pushed, pushOrders } from "./push-orders.ts";
export { inTurn } from "./sample-kinds.ts";
export {
  median,
  medianOfRatios,
  percentile,
  rounded,
  type Spread,
  spreadOf,
  sum,
} from "./statistics.ts";
export { byMessage, overHttp, type Submit } from "./submit-order.ts";
export { type ClientEvent, type SubmittedOrder, submitOrders } from "./submit-orders.ts";
