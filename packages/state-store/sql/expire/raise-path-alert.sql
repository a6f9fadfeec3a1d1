-- Alerts a person once for each outage that no probe to this queue arrives, and which part of its
-- way is broken.
with first as (
  update state.reply_paths
     set alerted = true
   where queue = :queue
     and asked_at is not null
     and not alerted
  returning queue
)
select state.raise_alert('replies.unproven', 'replies.unproven', :detail)
  from first;
