import type { Json } from "@holdfast/domain";
import { Type } from "typebox";

export const TaskId = Type.String({
  pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
});
export const Token = TaskId;
export const Name = Type.String({ minLength: 1, maxLength: 200 });
export const AnyJson = Type.Unsafe<Json>({});
