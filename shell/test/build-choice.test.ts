import { CONTRACT_VERSION, type RegistryEntry } from '@alpenglow/ui/contract';
import { describe, expect, it } from 'vitest';
import { createPreviewToken, publicKeyOf } from '../build/signing.mjs';
import { createBuildChooser, isInCanary } from '../server/build-choice.ts';
import type { LiveBuilds } from '../server/registry-file.ts';

/** A part of all browsers gets a canary (decision 0122). */

const build = (hash: string, name = 'mf-listings'): RegistryEntry => ({
  ...{ name, hash: hash.repeat(16), contract: CONTRACT_VERSION, fits: true, container: 'c', entry: 'e.js' },
  ...{ preload: [], integrity: {}, sizeBytes: 1, deployedAt: '' },
});
const BUCKETS = Array.from({ length: 1_000 }, (_, bucket) => bucket);
const [live, canary] = [build('a'), build('b')];

function liveBuilds(percent: number): LiveBuilds {
  const other = build('c', 'mf-community');
  return {
    remotes: { 'mf-listings': live, 'mf-community': other },
    builds: { 'mf-listings': [live], 'mf-community': [other] },
    canaries: percent === 0 ? {} : { 'mf-listings': { percent, isAutomatic: false, build: canary } },
  };
}
const choose = createBuildChooser({ trust: { keys: [], revoked: [] }, findStored: () => Promise.resolve(null) });
const hashFor = async (percent: number, cookies: string) =>
  (await choose(liveBuilds(percent), cookies)).registry.remotes['mf-listings']?.hash;

describe('the share of browsers', () => {
  it.each([1, 5, 25, 50, 99])(
    'that get a canary of %i percent is exact, and contains each smaller share',
    (percent) => {
      const chosen = (share: number) =>
        BUCKETS.filter((bucket) => isInCanary(bucket, { percent: share, isAutomatic: false, build: canary }));
      expect(chosen(percent)).toHaveLength(percent * 10);
      expect(chosen(percent)).toEqual(expect.arrayContaining(chosen(1)));
    },
  );

  it('differs for another canary', () => {
    const chosen = (of: RegistryEntry) =>
      BUCKETS.filter((bucket) => isInCanary(bucket, { percent: 5, isAutomatic: false, build: of }));
    expect(chosen(canary)).not.toEqual(chosen(build('d')));
  });
});

describe('a browser', () => {
  it('with a bucket always gets the same build', async () => {
    const inside =
      BUCKETS.find((bucket) => isInCanary(bucket, { percent: 5, isAutomatic: false, build: canary })) ?? -1;
    const outside =
      BUCKETS.findLast((bucket) => !isInCanary(bucket, { percent: 5, isAutomatic: false, build: canary })) ?? -1;
    for (let visit = 0; visit < 20; visit++) {
      expect(await hashFor(5, `alpenglow_bucket=${inside}; theme=dark`)).toBe(canary.hash);
      expect(await hashFor(5, `alpenglow_bucket=${outside}`)).toBe(live.hash);
    }
  });

  it('without a bucket gets one, with which it then gets the same build', async () => {
    for (const cookies of ['', 'alpenglow_bucket=1000', 'alpenglow_bucket=-1', 'alpenglow_bucket=x']) {
      const first = await choose(liveBuilds(50), cookies);
      expect(first.newBucket).toBeGreaterThanOrEqual(0);
      expect(first.newBucket).toBeLessThan(1_000);
      const again = await choose(liveBuilds(50), `alpenglow_bucket=${first.newBucket}`);
      expect(again.newBucket).toBeNull();
      expect(again.variant).toBe(first.variant);
    }
  });

  it('gets no bucket while there is no canary', async () => {
    expect(await choose(liveBuilds(0), '')).toMatchObject({ newBucket: null, variant: '' });
  });

  it('with a preview of the build that is a canary shares no cached page with the browsers of the canary', async () => {
    const key = 'ab'.repeat(32);
    const trust = { keys: [publicKeyOf(key)], revoked: [] };
    const chooseStored = createBuildChooser({ trust, findStored: () => Promise.resolve(canary) });
    const bucket = BUCKETS.find((one) => isInCanary(one, { percent: 5, isAutomatic: false, build: canary })) ?? -1;
    const cookies = `alpenglow_bucket=${bucket}`;
    const inCanary = await chooseStored(liveBuilds(5), cookies);
    const preview = await chooseStored(
      liveBuilds(5),
      `${cookies}; alpenglow_preview=${createPreviewToken(canary, key)}`,
    );
    expect([inCanary.previews, preview.previews]).toMatchObject([[], [{ hash: canary.hash }]]);
    expect(preview.registry.remotes).toEqual(inCanary.registry.remotes);
    expect(preview.variant).not.toBe(inCanary.variant);
  });

  it('outside of the canary shares the cached pages of all others', async () => {
    const choices = await Promise.all(BUCKETS.map((bucket) => choose(liveBuilds(5), `alpenglow_bucket=${bucket}`)));
    const variants = choices.map(({ variant }) => variant);
    expect(new Set(variants)).toEqual(new Set(['', `mf-listings:${canary.hash}`]));
    expect(variants.filter((variant) => variant !== '')).toHaveLength(50);
  });
});
