-- Writes how far a locked bulk operation is.
update state.bulk_operations
   set state        = :state::text,
       waiting      = :waiting,
       applied      = :applied,
       refused      = :refused,
       succeeded    = :succeeded,
       failed_again = :failed_again,
       paced_from   = to_timestamp(:paced_from::float8 / 1000),
       ended_at     = case when :state::text in ('done', 'stopped', 'failed')
                           then coalesce(ended_at, clock_timestamp()) end,
       stopped_by   = coalesce(stopped_by, :stopped_by::text),
       stop_reason  = coalesce(stop_reason, :stop_reason::text)
 where id = :id;
