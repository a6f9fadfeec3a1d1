import type { Json } from "@holdfast/domain";
import { Type } from "typebox";

const uuid = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";

export const TaskId = Type.String({ pattern: uuid });
/** Random, new with each attempt. */
export const Token = Type.String({ pattern: uuid });
export const Name = Type.String({ minLength: 1, maxLength: 200 });
export const AnyJson = Type.Unsafe<Json>({});
