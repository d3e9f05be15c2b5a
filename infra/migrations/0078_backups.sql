-- The complete backups of this installation, by the time of the state that they contain. The age of the last one is a
-- metric. `npm run backup` adds a row. Operators who back up in another way add it themselves (docs/backup.md).
create table ops.backups (
  id bigint generated always as identity primary key,
  made_at timestamptz not null default now()
);
