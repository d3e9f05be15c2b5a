-- An open page of the admin panel requests its data again and again. Such reads are added to the entry of the first one.
-- All three columns are null in entries of earlier builds, and in those that are restored from older backups.
alter table audit.staff_reads
  -- The time of the last read, if there were several.
  add column last_at timestamptz,
  -- The number of reads, if there were several.
  add column reads integer,
  -- A hash of the ids of the accounts in a list, which only tells equal lists from others.
  add column people_hash text;
