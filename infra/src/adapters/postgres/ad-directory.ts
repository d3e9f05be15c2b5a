import { findAfterCatchUp, type LookupDependencies } from './find-after-catch-up.ts';

/**
 * Finds the owner of an ad for commands. The id of an ad does not identify its event stream, so a read model is
 * queried.
 */
export type AdDirectory = ReturnType<typeof createAdDirectory>;

export function createAdDirectory(deps: LookupDependencies) {
  return {
    /**
     * Returns the account id of the ad's owner, or null if there is no such ad. Deleted ads are only found with
     * `includesDeleted`. If the ad is not found, waits until the read model contains all events, because the ad may be
     * new. Throws UNAVAILABLE if the read model is too far behind.
     */
    ownerOf(adId: string, { includesDeleted = false } = {}): Promise<string | null> {
      const projection = includesDeleted ? 'ad_owners' : 'ad_cards';
      return findAfterCatchUp(deps, projection, async () => {
        const { rows } = await deps.pool.query<{ account_id: string }>({
          name: `owner-in-${projection}`,
          text: `select account_id from rm.${projection} where ad_id = $1`,
          values: [adId],
        });
        return rows[0]?.account_id ?? null;
      });
    },
  };
}
