import { setTimeout as pause } from 'node:timers/promises';
import type { JobInspector, OverviewView, SyncAnswer } from '@alpenglow/domain';
import type { LiveClients, Pool } from '@alpenglow/infra';
import { queueViews } from '../jobs/queue-views.ts';

export interface OverviewReader {
  read(): Promise<OverviewView>;
}

export interface OverviewDependencies {
  readonly pool: Pool;
  readonly inspector: Pick<JobInspector, 'counts'>;
  readonly liveClients: Pick<LiveClients, 'total'>;
  readonly hiddenAdIds: readonly string[];
  readonly syncStatus: () => Promise<SyncAnswer>;
}

/** Admins who look at the same time share one count. */
const KEPT_ms = 2_000;
const QUEUES_LIMIT_ms = 2_000;
const DAYS = 30;

interface Counts {
  readonly clients: number;
  readonly providers: number;
  readonly ads: number;
  readonly hidden: number;
  readonly openCases: number;
  readonly openAppeals: number;
}

interface Day {
  readonly day: string;
  readonly signUps: number;
  readonly ads: number;
  readonly reports: number;
}

/** `$1` are the ads hidden by configuration. */
const COUNTS = `select
  (select count(*) from rm.accounts where user_type = 'client')::int as clients,
  (select count(*) from rm.accounts where user_type = 'provider')::int as providers,
  (select count(*) from rm.ad_cards)::int as ads,
  (select count(*) from rm.ad_cards c where c.is_hidden or c.ad_id = any($1::text[]))::int as hidden,
  (select count(*) from rm.moderation_cases where is_open)::int as "openCases",
  (select count(*) from rm.moderation_cases where appealed_at is not null)::int as "openAppeals"`;
/** Days on which nothing happened have no row. */
const LAST_DAYS = `select to_char(d, 'YYYY-MM-DD') as day, coalesce(c.sign_ups, 0) as "signUps", coalesce(c.ads, 0) as ads, coalesce(c.reports, 0) as reports
  from generate_series((now() at time zone 'utc')::date - ($1::int - 1), (now() at time zone 'utc')::date, interval '1 day') d
  left join rm.daily_counts c on c.day = to_char(d, 'YYYY-MM-DD') order by d`;

/** Reads the state of the place, at most every 2 s. */
export function createOverviewReader({
  pool,
  inspector,
  liveClients,
  hiddenAdIds,
  syncStatus,
}: OverviewDependencies): OverviewReader {
  let kept: { readonly at_ms: number; readonly view: Promise<OverviewView> } | null = null;

  /** A queue that is away keeps nobody from seeing the rest. */
  async function queues(): Promise<OverviewView['queues']> {
    const counts = await Promise.race([inspector.counts(), pause(QUEUES_LIMIT_ms, null, { ref: false })]).catch(
      () => null,
    );
    return counts && queueViews(counts);
  }

  async function count(): Promise<OverviewView> {
    const [counted, lastDays, queued, sync, clients] = await Promise.all([
      pool.query<Counts>({ name: 'overview-counts', text: COUNTS, values: [hiddenAdIds] }),
      pool.query<Day>({ name: 'overview-days', text: LAST_DAYS, values: [DAYS] }),
      queues(),
      syncStatus(),
      liveClients.total(),
    ]);
    const [counts] = counted.rows;
    const today = lastDays.rows.at(-1);
    if (!counts || !today) throw new Error('Nothing was counted');
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
      queues: queued,
      projections: sync.data.projections.map(({ name, lag }) => ({ name, lag })),
      liveClients: clients,
      days: lastDays.rows.map(({ day, signUps, ads }) => ({ day, signUps, ads })),
    };
  }

  return {
    read() {
      const now_ms = Date.now();
      if (!kept || now_ms - kept.at_ms > KEPT_ms) {
        const view = count();
        const entry = { at_ms: now_ms, view };
        kept = entry;
        view.catch(() => {
          if (kept === entry) kept = null;
        });
      }
      return kept.view;
    },
  };
}
