import { describe, expect, test } from 'vitest';
import { createSourceSet } from '../src/components/source-set.ts';
import { formatTimeAgo } from '../src/components/time-ago.tsx';
import { TOASTS_MAX, addToast, type Toast } from '../src/components/toast.tsx';
import { t } from '../src/i18n/i18n.ts';

test('a text contains its parameters, with formatted numbers', () => {
  expect(t('api.http', { status: 503 })).toBe('HTTP 503');
  expect(t('ui.times', { count: 1290 })).toBe('× 1,290');
});

describe('time ago', () => {
  const now_ms = Date.parse('2026-11-21T12:00:00Z');
  test.each([
    ['2026-11-21T11:59:30Z', 'just now'],
    ['2026-11-21T12:00:30Z', 'just now'],
    ['2026-11-21T11:59:00Z', '1 min ago'],
    ['2026-11-21T09:00:00Z', '3 hr ago'],
    ['2026-11-20T11:00:00Z', 'yesterday'],
    ['2026-11-13T12:00:00Z', '1 wk ago'],
    ['2026-11-01T12:00:00Z', '2 wk ago'],
    ['2024-11-01T12:00:00Z', '2 yr ago'],
  ])('%s is %s', (at, expected) => expect(formatTimeAgo(at, now_ms, 'en')).toBe(expected));

  test('is formatted in other languages', () => {
    expect(formatTimeAgo('2026-11-13T12:00:00Z', now_ms, 'fr-CH').replaceAll(/\s/gu, ' ')).toBe('il y a 1 sem.');
    expect(formatTimeAgo('2026-11-20T11:00:00Z', now_ms, 'de-CH')).toBe('gestern');
  });
});

test('the srcset of a photo contains its variants, none wider than the original', () => {
  expect(createSourceSet({ id: 'm1', width: 1600 }, 'avif')).toBe(
    '/uploads/photos/m1/320.avif 320w, /uploads/photos/m1/640.avif 640w, /uploads/photos/m1/1600.avif 1600w',
  );
  expect(createSourceSet({ id: 'm1', width: 500 }, 'jpg')).toBe(
    '/uploads/photos/m1/320.jpg 320w, /uploads/photos/m1/640.jpg 500w',
  );
});

test('only the three newest toasts are visible', () => {
  const toasts = [1, 2, 3, 4, 5].reduce<readonly Toast[]>((all, id) => addToast(all, id, { text: `t${id}` }), []);
  expect(toasts.map(({ id }) => id)).toEqual([3, 4, 5]);
  expect(toasts).toHaveLength(TOASTS_MAX);
});

test('a message that is repeated with the reference of another request shows the last reference (R-8.30)', () => {
  const texts = ['a\nReference: 1', 'b', 'a\nReference: 2'];
  const toasts = texts.reduce<readonly Toast[]>((all, text, id) => addToast(all, id, { text }), []);
  expect(toasts.map(({ text, count }) => [text, count])).toEqual([
    ['b', 1],
    ['a\nReference: 2', 2],
  ]);
});

test('a repeated message increases the count of its toast and removes no other toast', () => {
  const toasts = ['a', 'b', 'a', 'a'].reduce<readonly Toast[]>((all, text, id) => addToast(all, id, { text }), []);
  expect(toasts.map(({ text, count }) => [text, count])).toEqual([
    ['b', 1],
    ['a', 3],
  ]);
});
