-- Which schema this is, and the oldest release that can read it.
select schema_version, oldest_reader
  from state.compatibility;
