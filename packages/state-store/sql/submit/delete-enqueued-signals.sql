-- Deletes signals of the inbox: their tasks have them.
delete from state.signal_inbox where number = any(:numbers::bigint[]);
