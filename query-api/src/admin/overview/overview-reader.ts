import { setTimeout as pause } from 'node:timers/promises';
import type { JobInspector, OverviewView, ResponseOf } from '@alpenglow/domain';
import {
  ACCOUNTS,
  AD_CARDS,
  DAILY_COUNTS,
  IDENTITY_CHECKS,
  MODERATION_CASES,
  REMOVAL_REQUESTS,
  type LiveClientCount,
} from '@alpenglow/infra';
import type { Dependencies } from '../../dependencies.ts';
import { createQueueViews } from '../jobs/queue-views.ts';

export interface OverviewDependencies extends Dependencies<'pool' | 'hiddenAdIds'> {
  readonly inspector: Pick<JobInspector, 'countJobs'>;
  readonly liveClients: Pick<LiveClientCount, 'total'>;
  readonly syncStatus: () => Promise<ResponseOf<'getSyncStatus'>>;
}

/** The lifetime of the cached overview for admins. All requests within this time receive the same overview. */
const CACHE_ms = 2_000;
const QUEUES_TIMEOUT_ms = 2_000;
const DAYS = 30;

interface Counts {
  readonly clients: number;
  readonly providers: number;
  readonly ads: number;
  readonly hidden: number;
  readonly openCases: number;
  readonly openAppeals: number;
  readonly openIdentityChecks: number;
  readonly waitingRemovals: number;
}

interface Day {
  readonly day: string;
  readonly signUps: number;
  readonly ads: number;
  readonly reports: number;
}

/**
 * The SQL query for the current numbers of users, ads, cases, appeals, identity checks and removal requests. `$1`
 * contains the ids of the ads that the configuration hides.
 */
const COUNTS = `select
  (select count(*) from ${ACCOUNTS.table} where user_type = 'client')::int as clients,
  (select count(*) from ${ACCOUNTS.table} where user_type = 'provider')::int as providers,
  (select count(*) from ${AD_CARDS.table})::int as ads,
  (select count(*) from ${AD_CARDS.table} c where c.is_hidden or c.ad_id = any($1::text[]))::int as hidden,
  (select count(*) from ${MODERATION_CASES.table} where is_open)::int as "openCases",
  (select count(*) from ${MODERATION_CASES.table} where appealed_at is not null)::int as "openAppeals",
  (select count(*) from ${IDENTITY_CHECKS.table} where status = 'open')::int as "openIdentityChecks",
  (select count(*) from ${REMOVAL_REQUESTS.table} where deadline is not null)::int as "waitingRemovals"`;
/**
 * The SQL query for the daily counts of the last `$1` days. The query generates all days, because the table has no row
 * for a day without events.
 */
const LAST_DAYS = `select to_char(d, 'YYYY-MM-DD') as day,
    coalesce(c.sign_ups, 0) as "signUps", coalesce(c.ads, 0) as ads, coalesce(c.reports, 0) as reports
  from generate_series(
    (now() at time zone 'utc')::date - ($1::int - 1), (now() at time zone 'utc')::date, interval '1 day') d
  left join ${DAILY_COUNTS.table} c on c.day = to_char(d, 'YYYY-MM-DD') order by d`;

/** Creates an object that reads the overview for admins. It queries the database at most every 2 s. */
export function createOverviewReader({ pool, inspector, liveClients, hiddenAdIds, syncStatus }: OverviewDependencies) {
  let cached: { readonly at_ms: number; readonly view: Promise<OverviewView> } | null = null;

  /**
   * Reads the job counts. Returns null if the queues do not respond, so that the rest of the overview is still shown.
   */
  async function readQueues(): Promise<OverviewView['queues']> {
    const counts = await Promise.race([inspector.countJobs(), pause(QUEUES_TIMEOUT_ms, null, { ref: false })]).catch(
      () => null,
    );
    return counts && createQueueViews(counts);
  }

  async function readOverview(): Promise<OverviewView> {
    const [countResult, lastDays, queueCounts, sync, clients] = await Promise.all([
      pool.query<Counts>({ name: 'overview-counts', text: COUNTS, values: [hiddenAdIds] }),
      pool.query<Day>({ name: 'overview-days', text: LAST_DAYS, values: [DAYS] }),
      readQueues(),
      syncStatus(),
      liveClients.total(),
    ]);
    const [counts] = countResult.rows;
    const today = lastDays.rows.at(-1);
    if (!counts || !today) throw new Error('The overview queries returned no rows');
    return {
      at: new Date().toISOString(),
      users: {
        total: counts.clients + counts.providers,
        clients: counts.clients,
        providers: counts.providers,
        newToday: today.signUps,
      },
      ads: { live: counts.ads - counts.hidden, hidden: counts.hidden, newToday: today.ads },
      reports: { today: today.reports, openCases: counts.openCases, openAppeals: counts.openAppeals },
      openIdentityChecks: counts.openIdentityChecks,
      waitingRemovals: counts.waitingRemovals,
      queues: queueCounts,
      projections: sync.data.projections.map(({ name, lag }) => ({ name, lag })),
      liveClients: clients,
      days: lastDays.rows.map(({ day, signUps, ads }) => ({ day, signUps, ads })),
    };
  }

  return {
    read(): Promise<OverviewView> {
      const now_ms = Date.now();
      if (!cached || now_ms - cached.at_ms > CACHE_ms) {
        const view = readOverview();
        const entry = { at_ms: now_ms, view };
        cached = entry;
        view.catch(() => {
          if (cached === entry) cached = null;
        });
      }
      return cached.view;
    },
  };
}
