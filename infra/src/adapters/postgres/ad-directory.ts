import type { AdDirectory } from '@alpenglow/domain';
import { AD_CARDS, AD_OWNERS } from '../../read-models/index.ts';
import { findAfterCatchUp, type LookupDependencies } from './find-after-catch-up.ts';

/** Creates a directory that finds the owner of an ad for commands, with a read model. */
export function createAdDirectory(deps: LookupDependencies): AdDirectory {
  return {
    // If the ad is not found, this waits until the read model contains all events, because the ad may be new.
    ownerOf(adId, { includesDeleted = false } = {}) {
      const { name, table } = includesDeleted ? AD_OWNERS : AD_CARDS;
      return findAfterCatchUp(deps, name, async () => {
        const { rows } = await deps.pool.query<{ account_id: string }>({
          name: `owner-in-${name}`,
          text: `select account_id from ${table} where ad_id = $1`,
          values: [adId],
        });
        return rows[0]?.account_id ?? null;
      });
    },
  };
}
