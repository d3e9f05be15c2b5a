import { CHECKPOINT_CHANNEL, type Logger, type Pool } from '@alpenglow/infra';

/** The name of the ad view counts in the notifications about changed read models. */
export const AD_VIEWS_NAME = 'ad_views';

export type ViewCounter = ReturnType<typeof createViewCounter>;

const FLUSH_ms = 2_000;
const MAX_ADS = 10_000;

/** Adds views to ads. The keys are the ids of the ads. */
export async function addAdViews(pool: Pool, views: ReadonlyMap<string, number>): Promise<void> {
  await pool.query({
    name: 'ad-views-add',
    text: `with added as (
             insert into stats.ad_views as known (ad_id, views)
             select * from unnest($1::text[], $2::bigint[])
             on conflict (ad_id) do update set views = known.views + excluded.views
           )
           select pg_notify($3, $4)`,
    values: [[...views.keys()], [...views.values()], CHECKPOINT_CHANNEL, `${AD_VIEWS_NAME}:${Date.now()}`],
  });
}

/**
 * Creates a counter of ad views. The views are counted in memory, and written to `stats.ad_views` every 2 s, so that
 * the views of many visitors cause one write. If the process is killed, the views that are not yet written are lost.
 */
export function createViewCounter(pool: Pool, log: Logger) {
  let counts = new Map<string, number>();

  async function flush(): Promise<void> {
    if (counts.size === 0) return;
    const batch = counts;
    counts = new Map();
    try {
      await addAdViews(pool, batch);
    } catch (err) {
      for (const [adId, views] of batch) add(adId, views);
      log.warn({ err }, 'views could not be written, trying again');
    }
  }

  function add(adId: string, views: number): void {
    if (counts.size < MAX_ADS || counts.has(adId)) counts.set(adId, (counts.get(adId) ?? 0) + views);
  }

  const timer = setInterval(() => void flush(), FLUSH_ms);
  timer.unref();
  return {
    /** Counts one view of an ad. */
    count: (adId: string): void => add(adId, 1),
    /** Writes the remaining view counts and stops the counter. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await flush();
    },
  };
}
