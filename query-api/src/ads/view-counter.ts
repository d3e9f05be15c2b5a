import { CHECKPOINT_CHANNEL, type Logger, type Pool } from '@alpenglow/infra';
import { createCountBuffer } from '../count-buffer.ts';

/** The name of the ad view counts in the notifications about changed read models. */
export const AD_VIEWS_NAME = 'ad_views';

export type ViewCounter = ReturnType<typeof createViewCounter>;

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

/** Creates a counter of ad views. The views are written to `stats.ad_views` every 2 s (`createCountBuffer`). */
export function createViewCounter(pool: Pool, log: Logger) {
  const { add, stop } = createCountBuffer({
    write: (views) => addAdViews(pool, views),
    onFailed: (err) => log.warn({ err }, 'views could not be written, trying again'),
    max: MAX_ADS,
  });
  return {
    /** Counts one view of an ad. */
    count: (adId: string): void => add(adId, 1),
    /** Writes the remaining view counts and stops the counter. */
    stop,
  };
}
