/** Marks cached ads, threads and articles as stale when the live channel reports changes. */
import { adKeys, blogKeys, communityKeys } from '@alpenglow/ui';
import { isAdMessage, type LiveMessage } from '@alpenglow/domain/contracts';
import type { Query, QueryClient } from '@tanstack/react-query';

type AnyQuery = Pick<Query, 'queryKey'>;

const LIVE_KEYS: readonly unknown[] = [adKeys.all, communityKeys.all, blogKeys.all].map(([first]) => first);

const isDetail = ({ queryKey }: AnyQuery) =>
  queryKey[0] === adKeys.all[0] && queryKey[1] === adKeys.detail('', null)[1];

/**
 * Fetches ads, threads and articles again, because live messages may have been missed. A fetch in progress is repeated,
 * because its data may be too old. At the start of a page, single ads are not fetched again, because requests for
 * single ads are limited.
 */
export async function refetchQueries(client: QueryClient, { isStart }: { readonly isStart: boolean }): Promise<void> {
  const queries = client
    .getQueryCache()
    .findAll({ predicate: (query) => LIVE_KEYS.includes(query.queryKey[0]) && !(isStart && isDetail(query)) });
  await Promise.all(
    queries.map(async (query) => {
      if (query.state.fetchStatus === 'fetching') await query.promise?.catch(() => undefined);
      await client.invalidateQueries({ predicate: (other) => other === query });
    }),
  );
}

/** Repeats the visible requests that have failed, because the connection is back. */
export function refetchFailed(client: QueryClient): void {
  void client.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
}

/**
 * Marks lists that are not displayed as stale after a live message, because only displayed lists process live messages.
 * When such a list is opened, it shows its old data until the new data has arrived. For a message about an ad, that ad
 * is also marked. For a message about a thread, all community data is marked.
 */
export function markInactiveAsStale(client: QueryClient, message: LiveMessage): void {
  const inactive = { type: 'inactive', refetchType: 'none' } as const;
  if (isAdMessage(message)) {
    const { adId } = message;
    void client.invalidateQueries({
      ...inactive,
      queryKey: adKeys.all,
      predicate: (query) => !isDetail(query) || query.queryKey[2] === adId,
    });
  } else {
    void client.invalidateQueries({ ...inactive, queryKey: communityKeys.all });
  }
}
