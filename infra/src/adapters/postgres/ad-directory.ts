import { findAfterCatchUp, type LookupDependencies } from './find-after-catch-up.ts';

/**
 * Finds the owner of an ad for commands. The id of an ad does not identify its event stream, so a read model is
 * queried.
 */
export type AdDirectory = ReturnType<typeof createAdDirectory>;

export function createAdDirectory(deps: LookupDependencies) {
  return {
    /**
     * Returns the account id of the ad's owner, or null if there is no such ad. If the ad is not found, waits until the
     * read model contains all events, because the ad may be new. Throws UNAVAILABLE if the read model is too far
     * behind.
     */
    ownerOf: (adId: string): Promise<string | null> =>
      findAfterCatchUp(deps, 'ad_cards', async () => {
        const { rows } = await deps.pool.query<{ account_id: string }>({
          name: 'ad-owner',
          text: 'select account_id from rm.ad_cards where ad_id = $1',
          values: [adId],
        });
        return rows[0]?.account_id ?? null;
      }),
  };
}
