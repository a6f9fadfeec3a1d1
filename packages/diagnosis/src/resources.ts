import type { Examination } from "./doctor/examine.ts";
import type { Finding } from "./doctor/finding.ts";
import type { VerifiedStore } from "./verify/verify-store.ts";

const severities = { fine: "ok", unseen: "warning", wrong: "error" } as const;

/** One thing that was looked at, as the HTTP API and the command show it. */
interface FindingResource {
  readonly check: string;
  readonly severity: (typeof severities)[Finding["state"]];
  readonly sentence: string;
  readonly advice: string | null;
}

interface ExaminationResource {
  readonly at: string;
  readonly ok: boolean;
  readonly findings: readonly FindingResource[];
}

/** How everything is set up, as the HTTP API and the command show it. */
export function examinationResource(
  { complete, findings: found }: Examination,
  at: string,
): ExaminationResource {
  const findings = found.map(({ code, state, text, advice }) => ({
    check: code,
    severity: severities[state],
    sentence: text,
    advice,
  }));
  const ok = complete && !findings.some(({ severity }) => severity === "error");
  return { at, ok, findings };
}

interface VerificationResource {
  readonly at: string;
  readonly ok: boolean;
  readonly tasks: number;
  readonly complete: boolean;
  readonly violations: readonly {
    readonly rule: string;
    readonly taskId: string;
    readonly sentence: string;
  }[];
}

/** What must never be, as the HTTP API and the command show it. */
export function verificationResource(
  { tasks, violations: found, more }: VerifiedStore,
  at: string,
): VerificationResource {
  const violations = found.map(({ invariant, taskId, witness, explanation }) => ({
    rule: invariant,
    taskId,
    sentence: witness === null ? explanation : `${explanation} (${witness})`,
  }));
  return { at, ok: violations.length === 0, tasks, complete: !more, violations };
}
