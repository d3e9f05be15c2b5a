import { expect, test } from 'vitest';
import type { PhotoView, SocialMedia } from '@alpenglow/domain/contracts';
import { contactLinks, telephoneHref } from '../src/ads/contact.ts';
import { bumpLeft_ms, minutesAndSeconds } from '../src/own-ad/bump-time.ts';
import { mediaStateOf } from '../src/own-ad/media-state.ts';

test('the cooldown runs 30 minutes from the last bump', () => {
  const bumpedAt = '2026-11-21T10:00:00.000Z';
  const at = (time: string) => bumpLeft_ms(bumpedAt, Date.parse(`2026-11-21T${time}Z`));
  expect(at('10:00:00.000')).toBe(1_800_000);
  expect(at('10:29:59.999')).toBe(1);
  expect(at('10:30:00.000')).toBe(0);
  expect(at('11:00:00.000')).toBe(0);
  expect([1_800_000, 61_000, 59_001, 0].map(minutesAndSeconds)).toEqual(['30:00', '1:01', '1:00', '0:00']);
});

test('the state of the photos, in words', () => {
  const photo = (id: string, status: PhotoView['status'], reason: string | null = null): PhotoView => ({ id, status, reason, url: '', width: 0, height: 0, blur: null });
  expect(mediaStateOf([photo('demo-01', 'ready')]).lines).toEqual(['Demo pictures until you add your own']);
  expect(mediaStateOf([photo('a', 'ready'), photo('b', 'processing'), photo('c', 'rejected', 'No image'), photo('d', 'rejected', 'No image')])).toEqual({
    lines: ['1 photo online', '1 in preparation', '2 refused'],
    reasons: ['No image'],
  });
});

const NONE: SocialMedia = { instagram: null, twitter: null, facebook: null, snapchat: null, tiktok: null, onlyfans: null, website: null };

test('handles and addresses become links', () => {
  expect(contactLinks({ ...NONE, instagram: '@alpen.glow', tiktok: 'glow', website: 'https://www.example.com/me/' })).toEqual([
    { network: 'instagram', label: '@alpen.glow', href: 'https://www.instagram.com/alpen.glow' },
    { network: 'tiktok', label: '@glow', href: 'https://www.tiktok.com/@glow' },
    { network: 'website', label: 'example.com/me', href: 'https://www.example.com/me/' },
  ]);
});

test('nothing that could carry a script becomes a link', () => {
  expect(contactLinks({ ...NONE, instagram: 'javascript:alert(1)', website: 'javascript:alert(1)', twitter: 'data:text/html,x', facebook: '' })).toEqual([]);
});

test('a phone number can be dialled', () => {
  expect(telephoneHref('+1 (702) 555-0134')).toBe('tel:+17025550134');
});
