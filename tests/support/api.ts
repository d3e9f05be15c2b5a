import { expect } from 'vitest';
import { createApiClient, type ApiClient } from './api-client.ts';
import { expectDocumented } from './api-document.ts';

export { after, PASSWORD, validAd, type ApiResponse, type ApiClient, type Person } from './api-client.ts';

/** Creates a client of the API at `url`. The client throws if openapi.yaml does not describe a response. */
export function apiClient(url: string): ApiClient {
  return createApiClient(url, expectDocumented);
}

/** Returns a matcher for the body of a response with an error. */
export const error = (code: string, message: string) => ({
  success: false,
  code,
  message,
  error: message,
  requestId: expect.any(String) as string,
});
