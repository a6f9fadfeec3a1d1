-- Keeps a message that nobody could read.
insert into state.dead_letters (queue, reason, message_id, type, sender, body)
values (:queue, :reason, :message_id, :type, :sender, :body);
