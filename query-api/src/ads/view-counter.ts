import { ADVANCED_CHANNEL, type Logger, type Pool } from '@alpenglow/infra';

/** What this counter calls itself among the things a list is made of. */
export const AD_VIEWS = 'ad_views';

export interface ViewCounter {
  /** Counts one opening of an ad's page. */
  count(adId: string): void;
  /** Writes what is not written yet, and stops. */
  stop(): Promise<void>;
}

const FLUSH_ms = 2_000;
const MAX_ADS = 10_000;

/**
 * Counts views of ads in memory and adds them to `stats.ad_views` every 2 s, so that reading costs no write. A killed process loses
 * the views of its last seconds.
 */
export function createViewCounter(pool: Pool, log: Logger): ViewCounter {
  let counted = new Map<string, number>();

  async function flush(): Promise<void> {
    if (counted.size === 0) return;
    const writing = counted;
    counted = new Map();
    try {
      await pool.query({
        name: 'ad-views-add',
        text: `with added as (
                 insert into stats.ad_views as known (ad_id, views)
                 select * from unnest($1::text[], $2::bigint[])
                 on conflict (ad_id) do update set views = known.views + excluded.views
               )
               select pg_notify($3, $4)`,
        values: [[...writing.keys()], [...writing.values()], ADVANCED_CHANNEL, `${AD_VIEWS}:${Date.now()}`],
      });
    } catch (err) {
      for (const [adId, views] of writing) add(adId, views);
      log.warn({ err }, 'views could not be written, trying again');
    }
  }

  function add(adId: string, views: number): void {
    if (counted.size < MAX_ADS || counted.has(adId)) counted.set(adId, (counted.get(adId) ?? 0) + views);
  }

  const timer = setInterval(() => void flush(), FLUSH_ms);
  timer.unref();
  return {
    count: (adId) => add(adId, 1),
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
