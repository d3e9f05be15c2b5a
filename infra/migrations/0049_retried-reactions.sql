-- The time of the next retry of a parked event of a reactor. Null means at once. Projections do not use it.
alter table rm.parked_events add column retry_at timestamptz;
