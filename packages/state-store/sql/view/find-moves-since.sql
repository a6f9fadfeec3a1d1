-- What each followed task has done after one of its moves, oldest first: so many moves of each at
-- most.
select followed.task_id, followed.after::text as after, moves.id::text as id, moves.step, moves.action, moves.from_state,
       moves.to_state, moves.attempt, moves.actor, moves.reason, moves.note, moves.at
  from (select distinct task_id, after
          from unnest(:task_ids::uuid[], :afters::bigint[]) as asked (task_id, after)) as followed
 cross join lateral (
         select *
           from state.events
          where events.task_id = followed.task_id
            and events.task_id between :first_id and :last_id
            and events.id > followed.after
          order by events.id
          limit :most
       ) as moves
 order by followed.task_id, followed.after, moves.id;
