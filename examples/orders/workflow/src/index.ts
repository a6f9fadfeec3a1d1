export { inventory, notifications, payments, shipping } from "./agents.ts";
export { fulfilOrder } from "./fulfil-order.ts";
export { Order, type OrderLine, SubmittedOrder, totalOf } from "./order.ts";
export { endOf, type SampleKind, sampleKinds, sampleOrder } from "./sample-order.ts";
