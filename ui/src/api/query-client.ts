import { QueryClient } from '@tanstack/react-query';
import { isApiError } from './api-error.ts';

/** The one query client of a page. Only what may go away by itself (no answer, a busy server) is tried again, twice. */
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
