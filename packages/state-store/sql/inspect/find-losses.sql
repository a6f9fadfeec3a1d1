-- Messages of the last so many milliseconds that no service could read, and replies that were
-- refused for a reason that is no everyday race; of each the last 10,000 are looked at.
select 'dead letter' as kind, queue as "from", reason, count(*)::integer as messages, max(at) as latest
  from (select queue, reason, at from state.dead_letters order by id desc limit 10000) as newest
 where at > clock_timestamp() - :within::float8 * interval '1 millisecond'
 group by queue, reason
union all
select 'rejected reply', coalesce(sender, 'unknown sender'), reason, count(*)::integer, max(at)
  from (select sender, reason, at from state.rejected_replies order by id desc limit 10000) as replies
 where at > clock_timestamp() - :within::float8 * interval '1 millisecond'
   and reason <> all (:everyday::text[])
 group by sender, reason
 order by latest desc
 limit 20;
