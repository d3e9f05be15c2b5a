create schema stats;

-- How often an ad's own page was opened. A statistic, not history: it is counted, not recorded.
create table stats.ad_views (
  ad_id text primary key,
  views bigint not null
);
