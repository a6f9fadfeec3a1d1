export {
  type Agent,
  type Call,
  contract,
  defineAgent,
  type Operation,
  type Operations,
} from "./agent.ts";
export { present, type Ref, type Template } from "./ref.ts";
export { type InputOf, jsonSchemaOf, type OutputOf, type Schema } from "./schema.ts";
