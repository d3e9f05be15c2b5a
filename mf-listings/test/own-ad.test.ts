import { errorsByField } from '@alpenglow/ui';
import { describe, expect, test } from 'vitest';
import type { PhotoView, SocialMedia, VideoView } from '@alpenglow/domain/contracts';
import { canPlay } from '../src/ads/can-play.ts';
import { isShown } from '../src/ads/is-shown.ts';
import { createContactLinks, toTelephoneUrl } from '../src/ads/contact-links.ts';
import { getCanonicalUrl, getShareUrl } from '../src/ads/share-url.ts';
import { getBumpWait_ms, formatBumpWait, getNextTick_ms } from '../src/own-ad/bump-wait.ts';
import { isProcessing, getMediaState, getPollDelay_ms } from '../src/own-ad/media-state.ts';

describe('the bump countdown', () => {
  test('runs for 30 minutes after the last bump', () => {
    const bumpedAt = '2026-11-21T10:00:00.000Z';
    const at = (time: string) => getBumpWait_ms(bumpedAt, Date.parse(`2026-11-21T${time}Z`));
    expect(at('10:00:00.000')).toBe(1_800_000);
    expect(at('10:29:59.999')).toBe(1);
    expect(at('10:30:00.000')).toBe(0);
    expect(at('11:00:00.000')).toBe(0);
    expect(at('09:00:00.000'), 'a clock that is slow').toBe(1_800_000);
  });

  test('shows minutes, and seconds in the last minute', () => {
    const format = (left_ms: number) => formatBumpWait(left_ms, 'en');
    expect([1_800_000, 1_799_999, 119_999, 60_000].map(format)).toEqual(['30 min', '29 min', '1 min', '1 min']);
    expect([59_999, 59_000, 1_001, 1].map(format)).toEqual(['60 sec', '59 sec', '2 sec', '1 sec']);
    expect(formatBumpWait(1_700_000, 'de')).toBe('28 Min.');
  });

  test('ticks exactly when the text changes', () => {
    for (const left_ms of [1_800_000, 1_799_999, 90_000, 60_001, 60_000, 59_999, 59_000, 1_500, 999]) {
      const tick_ms = getNextTick_ms(left_ms);
      expect(tick_ms).toBeGreaterThan(0);
      if (tick_ms > 2)
        expect(formatBumpWait(left_ms - tick_ms + 2, 'en'), `${left_ms}`).toBe(formatBumpWait(left_ms, 'en'));
      if (left_ms > 1_000)
        expect(formatBumpWait(Math.max(1, left_ms - tick_ms), 'en'), `${left_ms}`).not.toBe(
          formatBumpWait(left_ms, 'en'),
        );
    }
  });
});

describe('the state of photos and video', () => {
  const photo = (id: string, status: PhotoView['status'], reason: string | null = null): PhotoView => ({
    id,
    status,
    reason,
    hold: null,
    url: '',
    width: 0,
    height: 0,
    blur: null,
  });
  const video = (status: VideoView['status'], reason: string | null = null): VideoView => ({
    id: 'v',
    status,
    reason,
    hold: null,
    url: '',
    width: 0,
    height: 0,
    duration: 0,
    contentType: null,
    shortenedBy: 0,
  });

  test('of an ad without photos counts none', () => {
    expect(getMediaState({ media: [], videoMedia: video('ready') })).toEqual({
      photos: { ready: 0, processing: 0, rejected: 0 },
      video: 'ready',
      shortenedBy: 0,
      reasons: [],
    });
  });

  test('counts media by status, and lists each reason once', () => {
    const media = [
      photo('a', 'ready'),
      photo('b', 'processing'),
      photo('c', 'rejected', 'No image'),
      photo('d', 'rejected', 'No image'),
    ];
    expect(getMediaState({ media, videoMedia: video('rejected', 'Video must be at most 20 seconds') })).toEqual({
      photos: { ready: 1, processing: 1, rejected: 2 },
      video: 'rejected',
      shortenedBy: 0,
      reasons: ['No image', 'Video must be at most 20 seconds'],
    });
  });

  test('states by how many seconds the video is shorter', () => {
    expect(getMediaState({ media: [], videoMedia: { ...video('ready'), shortenedBy: 1.3 } }).shortenedBy).toBe(1.3);
  });

  test('is as for visitors on the pages of an ad that is online, without files that moderation hides', () => {
    const [online, hidden] = [{ status: 'active' }, { status: 'hidden' }] as const;
    expect([isShown(online, { hold: null }), isShown(online, { hold: 'hidden' })]).toEqual([true, false]);
    expect([isShown(hidden, { hold: null }), isShown(hidden, { hold: 'hidden' })]).toEqual([true, true]);
  });

  test('is polled with increasing delays while media are being processed', () => {
    expect(isProcessing({ media: [photo('a', 'ready')], videoMedia: video('processing') })).toBe(true);
    expect(isProcessing({ media: [photo('a', 'processing')], videoMedia: null })).toBe(true);
    expect(isProcessing({ media: [photo('a', 'rejected')], videoMedia: video('ready') })).toBe(false);
    expect([0, 1, 4, 100].map(getPollDelay_ms)).toEqual([800, 1_600, 12_800, 15_000]);
  });
});

describe('the URL of an ad', () => {
  const ad = { id: 'a-1', state: 'NV', city: 'Las Vegas', slug: 'an-evening-walk' };
  const canonicalPath = '/escorts/nv/las-vegas/an-evening-walk/a-1';
  const at = (pathname: string) => getCanonicalUrl(ad, { pathname, search: '?x=1', hash: '#reviews' });

  test('is shared in its canonical form', () => {
    expect(getShareUrl(ad, 'https://alpenglow.example')).toBe(`https://alpenglow.example${canonicalPath}`);
  });

  test('redirects a wrong place or title, with query and fragment', () => {
    expect(at('/escorts/ca/los-angeles/an-evening-walk/a-1')).toBe(`${canonicalPath}?x=1#reviews`);
    expect(at('/escorts/nv/las-vegas/old-title/a-1')).toBe(`${canonicalPath}?x=1#reviews`);
    expect(at('/escorts/%zz/las-vegas/old-title/a-1')).toBe(`${canonicalPath}?x=1#reviews`);
  });

  test('is not redirected if it is canonical or a short path', () => {
    for (const path of [canonicalPath, '/ad/a-1', '/public-ad/a-1', '/provider-ad/a-1']) expect(at(path)).toBeNull();
    expect(
      getCanonicalUrl(
        { ...ad, id: 'ä' },
        { pathname: '/escorts/nv/las-vegas/an-evening-walk/ä', search: '', hash: '' },
      ),
      'encoded and decoded paths are equal',
    ).toBeNull();
  });
});

test('a video is tried unless the browser reports that it cannot play the type', () => {
  const canPlayType = (type: string) => (type === 'video/mp4' ? 'maybe' : '');
  expect(['video/mp4', 'video/quicktime', 'video/x-msvideo', null].map((type) => canPlay(type, canPlayType))).toEqual([
    true,
    true,
    false,
    true,
  ]);
});

test('only the first error of a field is reported', () => {
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

test('handles and URLs become links', () => {
  expect(
    createContactLinks({ ...NONE, instagram: '@alpen.glow', tiktok: 'glow', website: 'https://www.example.com/me/' }),
  ).toEqual([
    { network: 'instagram', label: '@alpen.glow', href: 'https://www.instagram.com/alpen.glow' },
    { network: 'tiktok', label: '@glow', href: 'https://www.tiktok.com/@glow' },
    { network: 'website', label: 'example.com/me', href: 'https://www.example.com/me/' },
  ]);
});

test('values that could contain a script do not become links', () => {
  expect(
    createContactLinks({
      ...NONE,
      instagram: 'javascript:alert(1)',
      website: 'javascript:alert(1)',
      twitter: 'data:text/html,x',
      facebook: '',
    }),
  ).toEqual([]);
});

test('a phone number becomes a `tel:` URL', () => {
  expect(toTelephoneUrl('+1 (702) 555-0134')).toBe('tel:+17025550134');
});
