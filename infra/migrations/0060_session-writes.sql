-- The position in the event log of the last write of a session, and the time of this write. A read of the session waits
-- until the read models contain the position, in every process.
alter table auth.sessions
  add column written_position text collate "C",
  add column written_at timestamptz;
