import { onlineManager, QueryClient } from '@tanstack/react-query';
import { isApiError } from './api-error.ts';

/**
 * Creates the query client of a page. Transient failures, such as a missing response, are retried up to two times.
 * Without a network, a request fails immediately, so that the page shows an error with a retry button.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        networkMode: 'always',
        refetchOnReconnect: true,
        retry: (failures, error) =>
          failures < 2 &&
          onlineManager.isOnline() &&
          isApiError(error) &&
          (error.status === 0 || error.status >= 500) &&
          error.code !== 'NO_TOKEN',
      },
      mutations: { networkMode: 'always' },
    },
  });
}
