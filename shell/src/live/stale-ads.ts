/** What the live channel means for ads that were loaded before. */
import { adKeys } from '@alpenglow/ui';
import type { LiveMessage } from '@alpenglow/domain/contracts';
import type { Query, QueryClient } from '@tanstack/react-query';

type AdQuery = Pick<Query, 'queryKey'>;

const isDetail = ({ queryKey }: AdQuery) => queryKey[1] === adKeys.detail('', null)[1];

/**
 * Changes may have been missed: what is shown of ads is asked for again, and what is on its way once it has come, since it was asked
 * for too early. Between a page's start and its first connection, single ads are left alone: asking for one counts as a view of it.
 */
export async function askForAdsAgain(client: QueryClient, { isStart }: { readonly isStart: boolean }): Promise<void> {
  const queries = client.getQueryCache().findAll({ queryKey: adKeys.all, predicate: (query) => !(isStart && isDetail(query)) });
  await Promise.all(
    queries.map(async (query) => {
      if (query.state.fetchStatus === 'fetching') await query.promise?.catch(() => undefined);
      await client.invalidateQueries({ predicate: (one) => one === query });
    }),
  );
}

/**
 * Lists that do not stand on the page hear nothing of a message, so they are asked for anew when they are shown again; what they
 * held is shown meanwhile. The same goes for the ad itself.
 */
export function markHiddenAds(client: QueryClient, { adId }: LiveMessage): void {
  void client.invalidateQueries({
    queryKey: adKeys.all,
    type: 'inactive',
    refetchType: 'none',
    predicate: (query) => !isDetail(query) || query.queryKey[2] === adId,
  });
}
