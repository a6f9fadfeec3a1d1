import { createHash } from "node:crypto";
import { canonicalJson, familyOf, type WorkflowDefinition } from "@holdfast/domain";

const versions = 999_999;

/**
 * The definition under a version that follows from its content: what was saved without a change is
 * the same version, and each change is another one, so that tasks under way keep theirs. `turn`
 * counts versions that others have.
 */
export function withContentVersion(definition: WorkflowDefinition, turn = 0): WorkflowDefinition {
  const { name, ...content } = definition;
  const hash = createHash("sha256").update(canonicalJson(content)).digest();
  const version = ((hash.readUInt32BE() + turn) % versions) + 1;
  return { ...definition, name: `${familyOf(name)}.v${version}` };
}
