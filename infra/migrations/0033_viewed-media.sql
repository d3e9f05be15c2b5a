-- The photo or video that a member of staff has viewed. An account can own several.
alter table audit.staff_reads add column media_id text;
