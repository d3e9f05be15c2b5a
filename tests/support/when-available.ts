import { eventually } from './eventually.ts';

/**
 * Repeats a request while the product responds with 503, and returns the first other response. On a busy machine, 503
 * is a correct response. For example, files are unavailable while the read models lag by more than 2 s.
 */
export function whenAvailable<Result extends { readonly status: number }>(
  request: () => Promise<Result>,
): Promise<Result> {
  return eventually(async () => {
    const response = await request();
    if (response.status !== 503) return response;
    if (response instanceof Response) await response.body?.cancel();
    throw new Error('The product responds with 503');
  });
}
