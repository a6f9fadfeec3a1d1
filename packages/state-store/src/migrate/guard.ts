import { legalTaskTransitions, savedStepTransitions } from "@holdfast/domain";

/**
 * A condition that a row makes none of these moves. All of them in one text: Postgres reads the expression anew for
 * each statement, and a list of twenty pairs takes longer than to write the row.
 */
const isNoneOf = (moves: readonly (readonly [string, string])[]): string => {
  const all = moves.map(([from, to]) => ` ${from}>${to} `).join("");
  return `strpos('${all}', ' ' || old.process_state || '>' || new.process_state || ' ') = 0`;
};

const taskMoves = Object.entries(legalTaskTransitions).flatMap(([from, targets]) =>
  targets.map((to) => [from, to] as const),
);

/**
 * The second wall behind `decide`: the store itself refuses a move that the tables of the domain do
 * not have. The whole rule stands in WHEN, so that legal moves never enter the function.
 *
 * Each in a transaction of its own: one that locks both tables can deadlock with those who
 * work meanwhile.
 */
export const guards: readonly string[] = [
  `create or replace function state.refuse_transition() returns trigger language plpgsql as $$
begin
  raise exception 'illegal transition of % %: % to %', tg_table_name, old.task_id, old.process_state,
    new.process_state using errcode = 'HF001';
end
$$`,
  `create or replace trigger guard_step before update on state.steps for each row
when (
  (old.process_state <> new.process_state and ${isNoneOf(savedStepTransitions)})
  or new.attempt <> old.attempt
     + (new.process_state = 'processing' and old.process_state <> 'processing')::integer
  or (old.may_have_effect and not new.may_have_effect)
)
execute function state.refuse_transition()`,
  `create or replace trigger guard_task before update on state.tasks for each row
when (
  (old.process_state <> new.process_state and ${isNoneOf(taskMoves)})
  or (old.goal = 'undo' and new.goal <> 'undo')
  or new.version <= old.version
)
execute function state.refuse_transition()`,
];
