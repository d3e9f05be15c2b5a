/** What the live channel means for ads and threads that were loaded before. */
import { adKeys, blogKeys, communityKeys } from '@alpenglow/ui';
import { isAdMessage, type LiveMessage } from '@alpenglow/domain/contracts';
import type { Query, QueryClient } from '@tanstack/react-query';

type AnyQuery = Pick<Query, 'queryKey'>;

const LIVE_KEYS: readonly unknown[] = [adKeys.all, communityKeys.all, blogKeys.all].map(([first]) => first);

const isDetail = ({ queryKey }: AnyQuery) =>
  queryKey[0] === adKeys.all[0] && queryKey[1] === adKeys.detail('', null)[1];

/**
 * Changes may have been missed: what is shown of ads, threads and articles is asked for again, and what is on its way once it has come, since it
 * was asked for too early. Between a page's start and its first connection, single ads are left alone: asking for one counts as a view of it.
 */
export async function askAgain(client: QueryClient, { isStart }: { readonly isStart: boolean }): Promise<void> {
  const queries = client
    .getQueryCache()
    .findAll({ predicate: (query) => LIVE_KEYS.includes(query.queryKey[0]) && !(isStart && isDetail(query)) });
  await Promise.all(
    queries.map(async (query) => {
      if (query.state.fetchStatus === 'fetching') await query.promise?.catch(() => undefined);
      await client.invalidateQueries({ predicate: (one) => one === query });
    }),
  );
}

/**
 * Lists that do not stand on the page hear nothing of a message, so they are asked for anew when they are shown again; what they
 * held is shown meanwhile. The same goes for the ad itself, and for all that is known of threads: there is less of it.
 */
export function markHidden(client: QueryClient, message: LiveMessage): void {
  const hidden = { type: 'inactive', refetchType: 'none' } as const;
  if (isAdMessage(message)) {
    const { adId } = message;
    void client.invalidateQueries({
      ...hidden,
      queryKey: adKeys.all,
      predicate: (query) => !isDetail(query) || query.queryKey[2] === adId,
    });
  } else {
    void client.invalidateQueries({ ...hidden, queryKey: communityKeys.all });
  }
}
