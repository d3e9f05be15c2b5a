import { DomainError, type EventStore } from '@alpenglow/domain';
import type { Pool } from 'pg';
import type { ReadModelProgress } from '../../read-model-progress.ts';

/** What the command side may ask the read model: whose an ad is, which no stream can tell by the ad's id alone. */
export interface AdDirectory {
  /**
   * The account whose ad this is; null when there is no such ad. An ad posted a moment ago is found too. Throws UNAVAILABLE when the read
   * model is too far behind to tell.
   */
  ownerOf(adId: string): Promise<string | null>;
}

/** The read model asked, and the one projection that fills it. */
const PROJECTION = 'ad_cards';

export function createAdDirectory(deps: {
  readonly pool: Pool;
  readonly store: Pick<EventStore, 'head'>;
  readonly progress: Pick<ReadModelProgress, 'waitFor'>;
}): AdDirectory {
  async function lookUp(adId: string): Promise<string | null> {
    const { rows } = await deps.pool.query<{ account_id: string }>({
      name: 'ad-owner',
      text: 'select account_id from rm.ad_cards where ad_id = $1',
      values: [adId],
    });
    return rows[0]?.account_id ?? null;
  }

  return {
    async ownerOf(adId) {
      const owner = await lookUp(adId);
      if (owner !== null) return owner;
      const isCaughtUp = await deps.progress.waitFor(PROJECTION, await deps.store.head());
      const found = await lookUp(adId);
      if (found === null && !isCaughtUp) throw new DomainError('UNAVAILABLE', {}, 1);
      return found;
    },
  };
}
