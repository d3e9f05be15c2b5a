-- The position of the checkpoint when the event log had lost its event. Until it is null again, the tables contain
-- effects of lost events, so the read model is not current. The rebuilt version that takes over clears it.
alter table rm.checkpoints add column lost_position text collate "C";

-- The event at `position`. A rebuild that contains lost events starts again instead of replacing the live tables, and
-- previous tables with lost events are not restored. Null for positions that earlier builds have stored.
alter table rm.rebuilds
  add column event_id uuid,
  add column event_position text collate "C";
alter table rm.previous_versions
  add column event_id uuid,
  add column event_position text collate "C";
