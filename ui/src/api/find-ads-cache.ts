import { getBrowserStorage } from '../host/browser-storage.ts';
import type { AdsCache } from './ads-cache.ts';

/**
 * Returns the ads cache on localhost, and null on every other host. A developer can then continue to browse
 * while the local backend restarts. On other hosts, the cache would show the next user of the device which places were
 * viewed. The code of the cache is a separate file, so that visitors of other hosts do not download it. If the file
 * cannot be loaded, the result is null.
 */
export async function findAdsCache(): Promise<AdsCache | null> {
  if (globalThis.location?.hostname !== 'localhost') return null;
  return import('./ads-cache.ts').then(
    ({ createAdsCache }) => createAdsCache(getBrowserStorage()),
    () => null,
  );
}
