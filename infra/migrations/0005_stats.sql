create schema stats;

-- The number of views of each ad's page. A statistic that is not derived from events.
create table stats.ad_views (
  ad_id text primary key,
  views bigint not null
);
