import { createApiClient, type ApiClient } from './api-client.ts';
import { expectDocumented } from './api-document.ts';

export { PASSWORD, validAd, type Answer, type ApiClient, type Person } from './api-client.ts';

/** A client of the API at `url` for tests. An answer that openapi.yaml does not describe is thrown. */
export function apiClient(url: string): ApiClient {
  return createApiClient(url, expectDocumented);
}
