/** A figure with a goal, which `npm run bench` prints next to the figure of the last release. */
export interface Goal {
  readonly name: string;
  readonly unit: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  /** The part of `npm run bench` that measures the figure. */
  readonly part: string;
}

const ESDB = 'EventStoreDB:';

/** All figures with a goal, in the order of the table. The names are those in `last-release.json`. */
export const GOALS = {
  oneWriter: { name: 'append, one writer ÷ message-db', unit: '×', atLeast: 1, part: 'peer-stores' },
  readAll: { name: 'read all ÷ the fastest peer', unit: '×', atLeast: 1.1, part: 'peer-stores' },
  processes: {
    name: 'append, 64 writers in 4 processes ÷ 64 writers in one',
    unit: '×',
    atLeast: 0.7,
    part: 'peer-stores',
  },
  esdbPages: { name: `${ESDB} readAll in pages ÷ the client`, unit: '×', atLeast: 0.95, part: 'event-store' },
  esdbLongRead: { name: `${ESDB} long read ÷ one call of the client`, unit: '×', atLeast: 0.95, part: 'event-store' },
  esdbSubscription: { name: `${ESDB} subscription ÷ the client`, unit: '×', atLeast: 0.95, part: 'event-store' },
  esdbOwnTime: {
    name: `${ESDB} processor time of an event above the client`,
    unit: 'µs',
    atMost: 4,
    part: 'event-store',
  },
  esdbAppend: { name: `${ESDB} append, 64 writers ÷ the client`, unit: '×', atLeast: 1, part: 'event-store' },
  esdbWriter: {
    name: `${ESDB} processor time of the writer ÷ Postgres`,
    unit: '×',
    atMost: 1.3,
    part: 'event-store',
  },
  rebuild: { name: 'rebuild of ad_cards', unit: 'events/s', atLeast: 60_000, part: 'rebuild' },
  rebuildGrowth: {
    name: 'rebuild of ad_cards, time of an event at 10⁶ events ÷ at 10⁵',
    unit: '×',
    atMost: 1.1,
    part: 'growth',
  },
  firstStart: { name: 'first start with 1,000,000 ads', unit: 's', atMost: 150, part: 'large-start' },
  firstStartProduct: { name: 'event of a first start, product', unit: 'ms', atMost: 0.06, part: 'start' },
  firstStartPostgres: { name: 'event of a first start, Postgres', unit: 'ms', atMost: 0.05, part: 'start' },
  changedAd: {
    name: 'changed ad through all projections, product and Postgres',
    unit: 'ms',
    atMost: 0.2,
    part: 'projecting',
  },
  clusterAd: { name: 'changed ad with all consequences in a cluster', unit: 'ms', atMost: 2, part: 'cluster-costs' },
  bump: { name: 'bump ÷ Express that only parses the body', unit: '×', atLeast: 0.4, part: 'bumps' },
  listGrowth: { name: 'uncached list, p99 at 10⁶ events ÷ at 10⁵', unit: '×', atMost: 1.5, part: 'growth' },
  search: { name: 'search over 1,000,000 ads, p99', unit: 'ms', atMost: 40, part: 'search' },
  searchGrowth: {
    name: 'search, p99 over 1,000,000 ads ÷ over 100,000',
    unit: '×',
    atMost: 1.5,
    part: 'search',
  },
  pagesOfLists: { name: 'uncached lists, rendered', unit: 'pages/s and core', atLeast: 150, part: 'pages' },
  pagesOfAds: { name: 'uncached ads, rendered', unit: 'pages/s and core', atLeast: 150, part: 'pages' },
  pagesOfSearches: { name: 'different searches, rendered', unit: 'pages/s and core', atLeast: 150, part: 'pages' },
  picture: { name: 'picture of 99 KB', unit: 'ms', atMost: 0.8, part: 'cluster-costs' },
  pictureUnchanged: { name: 'picture of 99 KB, conditional request', unit: 'ms', atMost: 0.8, part: 'cluster-costs' },
  pictureRange: { name: 'picture of 99 KB, range of half of it', unit: 'ms', atMost: 0.8, part: 'cluster-costs' },
  blockingList: { name: 'blocking time of a list ÷ one application', unit: '×', atMost: 0.35, part: 'browser' },
  blockingAd: { name: 'blocking time of an ad ÷ one application', unit: '×', atMost: 0.35, part: 'browser' },
  interaction: { name: 'interaction, p75 ÷ one application', unit: '×', atMost: 0.8, part: 'browser' },
  secondPage: { name: 'ad from a list ÷ one application', unit: '×', atMost: 0.5, part: 'browser' },
  idleTime: { name: 'idle processor time of the whole product', unit: 'ms a second', atMost: 5, part: 'memory' },
  idleMemory: { name: 'idle memory of the whole product', unit: 'MB', atMost: 400, part: 'memory' },
} as const satisfies Record<string, Goal>;

export type GoalName = keyof typeof GOALS;

/** All goals in the order of the table. */
export const ALL_GOALS: readonly Goal[] = Object.values(GOALS);
