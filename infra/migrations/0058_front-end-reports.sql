-- The errors and the measured speeds that browsers have reported, by day (UTC), front end and deployment. `hash` is
-- empty if the deployment is unknown. `measure` is a kind of error or a measure of speed. `range_index` is the index of
-- the interval that contains the speed (domain/src/front-ends/measures.ts), and 0 for errors. The table contains no data
-- about visitors.
create table stats.front_end_days (
  day date not null,
  front_end text not null,
  hash text not null,
  measure text not null,
  range_index smallint not null,
  count bigint not null,
  primary key (day, front_end, hash, measure, range_index)
);
