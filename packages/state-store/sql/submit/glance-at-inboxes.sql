-- Which inboxes have something in them, whether a process is at it or not.
select exists (select from state.inbox)        as submissions,
       exists (select from state.signal_inbox) as signals;
