import { QueryClient } from '@tanstack/react-query';
import { isApiError } from './api-error.ts';

/** Creates the query client of a page. Transient failures, such as a missing response, are retried up to two times. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        retry: (failures, error) =>
          failures < 2 && isApiError(error) && (error.status === 0 || error.status >= 500) && error.code !== 'NO_TOKEN',
      },
    },
  });
}
