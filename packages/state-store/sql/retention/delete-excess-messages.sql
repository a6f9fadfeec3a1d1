-- Deletes the oldest refused replies and dead letters of senders that keep more than so many bytes;
-- returns whose.
select sender, messages::integer as messages from state.delete_excess_messages(:most_bytes::bigint, :batch::integer);
