import type { Position } from '@alpenglow/domain';
import { createAdDirectory } from '@alpenglow/infra';
import { expect, test, vi } from 'vitest';

type Dependencies = Parameters<typeof createAdDirectory>[0];

/** A directory over a read model that answers `owners` one after the other, and does or does not catch up when waited for. */
function directory(owners: readonly (string | null)[], isCaughtUp = true) {
  const answers = [...owners];
  const query = vi.fn(() => {
    const owner = answers.shift() ?? null;
    return Promise.resolve({ rows: owner === null ? [] : [{ account_id: owner }] });
  });
  const waitFor = vi.fn((_projection: string, _position: Position) => Promise.resolve(isCaughtUp));
  const store = { head: () => Promise.resolve('0000000000000000007' as Position) };
  const ads = createAdDirectory({ pool: { query } as unknown as Dependencies['pool'], store, progress: { waitFor } });
  return { ads, waitFor };
}

test('an ad that is known is answered at once', async () => {
  const { ads, waitFor } = directory(['anna']);
  expect(await ads.ownerOf('ad-1')).toBe('anna');
  expect(waitFor).not.toHaveBeenCalled();
});
test('an ad that is not known yet is looked for again once the read model has come to the last event', async () => {
  const { ads, waitFor } = directory([null, 'anna']);
  expect(await ads.ownerOf('ad-1')).toBe('anna');
  expect(waitFor).toHaveBeenCalledExactlyOnceWith('ad_cards', '0000000000000000007');
});
test('an ad that is not there is nobody’s', async () => {
  expect(await directory([null, null]).ads.ownerOf('ad-1')).toBeNull();
});
test('a read model too far behind to tell is no “not found”', async () => {
  await expect(directory([null, null], false).ads.ownerOf('ad-1')).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    retryAfter_s: 1,
  });
});
test('an ad found although the read model is behind is answered', async () => {
  expect(await directory([null, 'anna'], false).ads.ownerOf('ad-1')).toBe('anna');
});
