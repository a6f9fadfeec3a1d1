-- Takes submissions of the inbox, the oldest first, for one process alone until its lease ends: so many, and of so many
-- bytes, but one at least. A process that died leaves them to others.
update state.inbox
   set leased_until = clock_timestamp() + :lease::float8 * interval '1 millisecond'
 where task_id in (
         select task_id
           from (select task_id, sum(bytes) over (order by task_id) - bytes as before
                   from (select task_id, bytes
                           from state.inbox
                          where leased_until is null
                             or leased_until < clock_timestamp()
                          order by task_id
                          limit :most
                            for update skip locked) as free) as sized
          where before < :most_bytes)
returning task_id, submission::text as submission, replay_of, trace_context, submitter, application;
