import { describe, expect, test } from 'vitest';
import type { PhotoView, SocialMedia, VideoView } from '@alpenglow/domain/contracts';
import { canPlay } from '../src/ads/can-play.ts';
import { contactLinks, telephoneHref } from '../src/ads/contact-links.ts';
import { canonicalAddress, shareAddress } from '../src/ads/share-address.ts';
import { errorsByField } from '../src/account/field-errors.ts';
import { bumpLeft_ms, bumpLeftInWords, nextTick_ms } from '../src/own-ad/bump-time.ts';
import { isBeingMade, mediaStateOf, nextLook_ms } from '../src/own-ad/media-state.ts';

describe('the bump countdown', () => {
  test('the cooldown runs 30 minutes from the last bump', () => {
    const bumpedAt = '2026-11-21T10:00:00.000Z';
    const at = (time: string) => bumpLeft_ms(bumpedAt, Date.parse(`2026-11-21T${time}Z`));
    expect(at('10:00:00.000')).toBe(1_800_000);
    expect(at('10:29:59.999')).toBe(1);
    expect(at('10:30:00.000')).toBe(0);
    expect(at('11:00:00.000')).toBe(0);
    expect(at('09:00:00.000'), 'a clock that is behind').toBe(1_800_000);
  });

  test('minutes, and seconds in the last one', () => {
    const words = (left_ms: number) => bumpLeftInWords(left_ms, 'en');
    expect([1_800_000, 1_799_999, 119_999, 60_000].map(words)).toEqual(['30 min', '29 min', '1 min', '1 min']);
    expect([59_999, 59_000, 1_001, 1].map(words)).toEqual(['60 sec', '59 sec', '2 sec', '1 sec']);
    expect(bumpLeftInWords(1_700_000, 'de')).toBe('28 Min.');
  });

  test('a tick is due whenever the words change, and not before', () => {
    for (const left_ms of [1_800_000, 1_799_999, 90_000, 60_001, 60_000, 59_999, 59_000, 1_500, 999]) {
      const tick_ms = nextTick_ms(left_ms);
      expect(tick_ms).toBeGreaterThan(0);
      if (tick_ms > 2)
        expect(bumpLeftInWords(left_ms - tick_ms + 2, 'en'), `${left_ms}`).toBe(bumpLeftInWords(left_ms, 'en'));
      if (left_ms > 1_000)
        expect(bumpLeftInWords(Math.max(1, left_ms - tick_ms), 'en'), `${left_ms}`).not.toBe(
          bumpLeftInWords(left_ms, 'en'),
        );
    }
  });
});

describe('the state of photos and video', () => {
  const photo = (id: string, status: PhotoView['status'], reason: string | null = null): PhotoView => ({
    id,
    status,
    reason,
    url: '',
    width: 0,
    height: 0,
    blur: null,
  });
  const video = (status: VideoView['status'], reason: string | null = null): VideoView => ({
    id: 'v',
    status,
    reason,
    url: '',
    width: 0,
    height: 0,
    duration: 0,
    contentType: null,
  });

  test('house pictures are none of the owner', () => {
    expect(mediaStateOf({ media: [photo('demo-01', 'ready')], videoMedia: null })).toEqual({
      photos: null,
      video: null,
      reasons: [],
    });
    expect(mediaStateOf({ media: [], videoMedia: video('ready') })).toEqual({
      photos: null,
      video: 'ready',
      reasons: [],
    });
  });

  test('counted, with every reason once', () => {
    const media = [
      photo('a', 'ready'),
      photo('b', 'processing'),
      photo('c', 'rejected', 'No image'),
      photo('d', 'rejected', 'No image'),
    ];
    expect(mediaStateOf({ media, videoMedia: video('rejected', 'Video must be at most 20 seconds') })).toEqual({
      photos: { ready: 1, processing: 1, rejected: 2 },
      video: 'rejected',
      reasons: ['No image', 'Video must be at most 20 seconds'],
    });
  });

  test('asked for again, ever more seldom, while something is in the making', () => {
    expect(isBeingMade({ media: [photo('a', 'ready')], videoMedia: video('processing') })).toBe(true);
    expect(isBeingMade({ media: [photo('a', 'processing')], videoMedia: null })).toBe(true);
    expect(isBeingMade({ media: [photo('a', 'rejected')], videoMedia: video('ready') })).toBe(false);
    expect([0, 1, 4, 100].map(nextLook_ms)).toEqual([800, 1_600, 12_800, 15_000]);
  });
});

describe('the address of an ad', () => {
  const ad = { id: 'a-1', state: 'NV', city: 'Las Vegas', title: 'An evening walk' };
  const right = '/escorts/nv/las-vegas/an-evening-walk/a-1';
  const at = (pathname: string) => canonicalAddress(ad, { pathname, search: '?x=1', hash: '#reviews' });

  test('what is shared is the one address', () => {
    expect(shareAddress(ad, 'https://alpenglow.example')).toBe(`https://alpenglow.example${right}`);
  });

  test('a wrong place or title leads to the right one, with what follows', () => {
    expect(at('/escorts/ca/los-angeles/an-evening-walk/a-1')).toBe(`${right}?x=1#reviews`);
    expect(at('/escorts/nv/las-vegas/old-title/a-1')).toBe(`${right}?x=1#reviews`);
    expect(at('/escorts/%zz/las-vegas/old-title/a-1')).toBe(`${right}?x=1#reviews`);
  });

  test('the right one and the short ones stay', () => {
    for (const path of [right, '/ad/a-1', '/public-ad/a-1', '/provider-ad/a-1']) expect(at(path)).toBeNull();
    expect(
      canonicalAddress(
        { ...ad, id: 'ä' },
        { pathname: '/escorts/nv/las-vegas/an-evening-walk/ä', search: '', hash: '' },
      ),
      'encoded or not',
    ).toBeNull();
  });
});

test('a video is tried unless the browser is sure it cannot', () => {
  const ask = (type: string) => (type === 'video/mp4' ? 'maybe' : '');
  expect(['video/mp4', 'video/quicktime', 'video/x-msvideo', null].map((type) => canPlay(type, ask))).toEqual([
    true,
    true,
    false,
    true,
  ]);
});

test('of several faults of a field the first is told', () => {
  expect(
    errorsByField({
      issues: [
        { path: ['age'], message: 'one' },
        { path: ['age'], message: 'two' },
        { path: [], message: 'all' },
      ],
    }),
  ).toEqual({ age: 'one', '': 'all' });
});

const NONE: SocialMedia = {
  instagram: null,
  twitter: null,
  facebook: null,
  snapchat: null,
  tiktok: null,
  onlyfans: null,
  website: null,
};

test('handles and addresses become links', () => {
  expect(
    contactLinks({ ...NONE, instagram: '@alpen.glow', tiktok: 'glow', website: 'https://www.example.com/me/' }),
  ).toEqual([
    { network: 'instagram', label: '@alpen.glow', href: 'https://www.instagram.com/alpen.glow' },
    { network: 'tiktok', label: '@glow', href: 'https://www.tiktok.com/@glow' },
    { network: 'website', label: 'example.com/me', href: 'https://www.example.com/me/' },
  ]);
});

test('nothing that could carry a script becomes a link', () => {
  expect(
    contactLinks({
      ...NONE,
      instagram: 'javascript:alert(1)',
      website: 'javascript:alert(1)',
      twitter: 'data:text/html,x',
      facebook: '',
    }),
  ).toEqual([]);
});

test('a phone number can be dialled', () => {
  expect(telephoneHref('+1 (702) 555-0134')).toBe('tel:+17025550134');
});
