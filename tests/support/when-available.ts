import { eventually } from './eventually.ts';

const UNAVAILABLE = 503;

/**
 * Sends a request again until its response is not 503, as clients do after `Retry-After`. On a busy machine, the
 * product may be temporarily unavailable. For example, no uploaded file is served while the read models lag.
 */
export function whenAvailable<Response extends { readonly status: number }>(
  send: () => Promise<Response>,
): Promise<Response> {
  return eventually(async () => {
    const response = await send();
    if (response.status === UNAVAILABLE) throw new Error('The product is unavailable');
    return response;
  });
}
