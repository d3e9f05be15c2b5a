-- The time at which a key was destroyed, by the clock of Postgres. Null for keys that were destroyed before this migration.
alter table auth.data_keys add column destroyed_at timestamptz;

-- A trigger, because processes of the earlier build also destroy keys while the builds are exchanged.
create function auth.record_destruction() returns trigger language plpgsql as $$
begin
  new.destroyed_at = clock_timestamp();
  return new;
end
$$;
create trigger record_destruction before update on auth.data_keys
  for each row when (new.wrapped_key is null and old.wrapped_key is not null)
  execute function auth.record_destruction();
create trigger record_lost_key before insert on auth.data_keys
  for each row when (new.wrapped_key is null and new.destroyed_at is null)
  execute function auth.record_destruction();
