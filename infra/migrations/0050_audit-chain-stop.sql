-- The state of the audit chain while it is stopped, because the log has lost events of a past day. At most one row.
create table ops.audit_chain_stop (
  id integer primary key default 1 check (id = 1),
  stopped_at timestamptz not null default now(),
  -- The position of the last event of the chain that the log still contains.
  common_position text collate "C" not null,
  -- The numbers of lost events and of the first lost log entry.
  lost_events bigint not null,
  first_lost_entry bigint not null,
  -- The first day whose root contains a lost entry.
  day text not null
);
