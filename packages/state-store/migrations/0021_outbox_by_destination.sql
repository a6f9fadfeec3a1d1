-- Notifications are sent by destination, in turn: a queue that takes none must not hold up all others.

-- phase: apart
drop index concurrently if exists state.outbox_by_destination;
create index concurrently outbox_by_destination on state.outbox
  ((channel || ' ' || coalesce(address, body ->> 'kind', (body ->> 'event') || '.' || (body ->> 'workflow'))) collate "C", id);

-- phase: online
update state.compatibility set schema_version = 6;
