import type { Position } from '@alpenglow/domain';
import { createAdDirectory } from '@alpenglow/infra';
import { expect, test, vi } from 'vitest';

type Dependencies = Parameters<typeof createAdDirectory>[0];

/**
 * Returns an ad directory with a fake read model. Every query of the read model returns the next entry of `owners`.
 * `isCaughtUp` is false if the read model does not reach the last event in time.
 */
function directory(owners: readonly (string | null)[], isCaughtUp = true) {
  const remaining = [...owners];
  const query = vi.fn(() => {
    const owner = remaining.shift() ?? null;
    return Promise.resolve({ rows: owner === null ? [] : [{ account_id: owner }] });
  });
  const waitFor = vi.fn((_projection: string, _position: Position) => Promise.resolve(isCaughtUp));
  const store = { readHead: () => Promise.resolve('0000000000000000007' as Position) };
  const ads = createAdDirectory({ pool: { query } as unknown as Dependencies['pool'], store, progress: { waitFor } });
  return { ads, waitFor };
}

test('returns the owner of a known ad at once', async () => {
  const { ads, waitFor } = directory(['anna']);
  expect(await ads.ownerOf('ad-1')).toBe('anna');
  expect(waitFor).not.toHaveBeenCalled();
});
test('queries an unknown ad again once the read model has reached the last event', async () => {
  const { ads, waitFor } = directory([null, 'anna']);
  expect(await ads.ownerOf('ad-1')).toBe('anna');
  expect(waitFor).toHaveBeenCalledExactlyOnceWith('ad_cards', '0000000000000000007');
});
test('returns null for an ad that does not exist', async () => {
  expect(await directory([null, null]).ads.ownerOf('ad-1')).toBeNull();
});
test('throws UNAVAILABLE if the read model is too far behind', async () => {
  await expect(directory([null, null], false).ads.ownerOf('ad-1')).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    retryAfter_s: 1,
  });
});
test('returns the owner of an ad that is found although the read model is behind', async () => {
  expect(await directory([null, 'anna'], false).ads.ownerOf('ad-1')).toBe('anna');
});
