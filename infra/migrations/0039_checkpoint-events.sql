-- The event that a consumer has handled last. After a failover or a restore, another event may be at the same position.
-- `event_id` is valid only while `event_position` equals `position`, because earlier builds change only `position`.
alter table rm.checkpoints
  add column event_id uuid,
  add column event_position text collate "C";

-- Earlier positions of the checkpoints of reactors and other consumers without tables. If the log no longer contains
-- the event of a checkpoint, its consumer continues from the newest of these events that the log still contains.
create table rm.checkpoint_marks (
  name text not null,
  position text collate "C" not null,
  event_id uuid not null,
  reached_at timestamptz not null default now(),
  primary key (name, position)
);
