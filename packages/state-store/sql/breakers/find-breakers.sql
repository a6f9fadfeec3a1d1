-- The breakers that hold anything back, or did so in the last minute. Times are counted from now
-- (ms), because each Scheduler has a clock of its own. `held`: an operator keeps it open.
select service, state, reason,
       coalesce(open_until = 'infinity', false) as held,
       case when open_until < 'infinity'
            then (extract(epoch from open_until - statement_timestamp()) * 1000)::float8 end as open_for,
       (extract(epoch from throttled_until - statement_timestamp()) * 1000)::float8 as throttled_for,
       (extract(epoch from statement_timestamp() - since) * 1000)::float8 as age
  from state.breakers
 where state <> 'closed'
    or since > statement_timestamp() - interval '1 minute'
    or throttled_until > statement_timestamp() - interval '1 minute';
