-- When a process last ran or read each version of a read model. A version is dropped only some time after its last use,
-- because a process that still reads it may be without a connection, and thus without its lock, for a moment.
create table ops.read_model_uses (
  name text not null,
  version integer not null,
  used_at timestamptz not null default now(),
  primary key (name, version)
);

-- Processes of earlier builds record no use, so each version counts as used now.
insert into ops.read_model_uses (name, version)
select distinct regexp_replace(name, '__v[0-9]+$', ''), version from rm.checkpoints;
