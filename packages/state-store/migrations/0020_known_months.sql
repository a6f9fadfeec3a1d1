-- Ids of replies come from outside and can name any month. A service prepares statements only for months
-- that have partitions, so the view that services read anyway says which those are.

create or replace view state.busy_months as
select case when bool_or(is_now) then min(first_id::text)::uuid end as first_id,
       case when bool_or(is_now) then max(end_id::text)::uuid end   as end_id,
       -- The first partition also has everything before its month.
       (select state.first_id_of(min(month)) from state.partitions) as first_known_id,
       (select max(end_id::text)::uuid from state.partitions)       as end_known_id
  from (select first_id, end_id, month = state.month_of(clock_timestamp()) as is_now,
               month in (state.month_of(clock_timestamp()),
                         state.month_of(clock_timestamp() + interval '1 minute')) as is_current
          from state.partitions
        offset 0) as known
 where is_current
    -- Each in the order of an index that has no others.
    or exists (select from (select from state.steps
                             where task_id >= first_id and task_id < end_id
                               and process_state = 'pending' and rank is not null
                             order by lane, rank limit 1) as due)
    or exists (select from (select from state.steps
                             where task_id >= first_id and task_id < end_id
                               and process_state = 'pending' and rank is null
                             order by not_before limit 1) as resting)
    or exists (select from (select from state.steps
                             where task_id >= first_id and task_id < end_id
                               and process_state = 'processing'
                             order by complete_by limit 1) as in_flight);

update state.compatibility set schema_version = 5;
