-- Deletes counts that are older than they are kept for, a batch of one resolution. By each subject,
-- in the order of the index.
with recursive subjects as (
  (select subject from state.statistics where resolution = :resolution order by subject limit 1)
  union all
  select (select statistics.subject
            from state.statistics
           where resolution = :resolution and statistics.subject > subjects.subject
           order by statistics.subject
           limit 1)
    from subjects
   where subjects.subject is not null
),
old as (
  select resolution, subjects.subject, at
    from subjects
   cross join lateral (
     select resolution, at
       from state.statistics
      where resolution = :resolution
        and statistics.subject = subjects.subject
        and at < state.trusted_now() - :keep::float8 * interval '1 millisecond'
      order by at
      limit :batch
   ) as of_subject
   where subjects.subject is not null
   limit :batch
),
deleted as (
  delete from state.statistics
   using old
   where (statistics.resolution, statistics.subject, statistics.at) = (old.resolution, old.subject, old.at)
  returning 1
)
select count(*)::integer as deleted from deleted;
