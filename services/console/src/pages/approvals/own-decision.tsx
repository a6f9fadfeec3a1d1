import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useConsole, useSession } from "../../api/console-context.ts";
import { refreshAll } from "../../api/queries.ts";
import type { Approval, DecisionCounted } from "../../api/types.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Section } from "../../parts/section.tsx";
import { decisionCall, type Said, stateOf } from "./decision.ts";
import { DecisionForm } from "./decision-form.tsx";

type Outcome =
  | { readonly kind: "counted"; readonly answer: DecisionCounted }
  | { readonly kind: "refused"; readonly error: unknown };

/**
 * Has one approve or reject a step, or says why one cannot. Nothing is shown as decided that the
 * service has not said is; what others decided meanwhile is shown in its words.
 */
export function OwnDecision({ approval }: { readonly approval: Approval }) {
  const { api } = useConsole();
  const cache = useQueryClient();
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isAsking, setAsking] = useState(false);
  const decide = async (said: Said): Promise<void> => {
    setAsking(true);
    try {
      const answer = await api.ask<DecisionCounted>(decisionCall(approval, said));
      setOutcome({ kind: "counted", answer });
    } catch (error) {
      setOutcome({ kind: "refused", error });
    }
    setAsking(false);
    await refreshAll(cache);
  };
  if (outcome === null && stateOf(approval) !== "open") return null;
  return (
    <Section title="Your decision">
      {outcome?.kind === "counted" ? (
        <Counted answer={outcome.answer} />
      ) : (
        <>
          {outcome !== null && (
            <div className="section-body">
              <ProblemNote error={outcome.error} />
            </div>
          )}
          {approval.mayDecide && (
            <DecisionForm
              approval={approval}
              isAsking={isAsking}
              onDecide={(said) => void decide(said)}
            />
          )}
          {!approval.mayDecide && outcome === null && <WhyNot />}
        </>
      )}
    </Section>
  );
}

function Counted({ answer }: { readonly answer: DecisionCounted }): ReactNode {
  const { decision, approvals, quorum, decided } = answer;
  const what = decision === "approve" ? "You have approved it" : "You have rejected it";
  const rest = decided ? "it is decided" : `${approvals} of ${quorum} have`;
  return (
    <p className="card-none" role="status">
      {what}: {rest}.
    </p>
  );
}

/** Why one cannot decide about a step that is open. */
function WhyNot() {
  const { session } = useConsole();
  const { role } = useSession();
  if (role === "principal") {
    return (
      <p className="card-none">
        You cannot decide about it now: you have decided already, or its workflow excludes you.
      </p>
    );
  }
  return (
    <div className="section-body">
      <p>
        The operators’ token is shared and says of no one who decides: sign in with a key or a token
        of your own.
      </p>
      <div className="buttons">
        <button type="button" className="button" onClick={() => session.signOut()}>
          Sign in as yourself
        </button>
      </div>
    </div>
  );
}
