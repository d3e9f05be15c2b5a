import { expect, it } from 'vitest';
import {
  acceptGuidelines,
  canMeasure,
  chooseCookies,
  confirmAge,
  forgetCookies,
  readConsent,
} from '../src/gates/consent.ts';
import { createMemoryStorage } from '../../tests/support/memory-storage.ts';

const now = new Date('2026-11-21T12:00:00.000Z');

it('has no consents at first', () => {
  expect(readConsent(createMemoryStorage())).toEqual({ ageConfirmed: false, guidelinesAccepted: false, cookies: null });
});

it('stores choices under their keys (R-3.25 to R-3.27), and text versions in a separate entry', () => {
  const storage = createMemoryStorage();
  confirmAge(storage, now);
  acceptGuidelines(storage, now);
  chooseCookies(storage, true, now);
  expect(storage.getItem('age_ok')).toBe('true');
  expect(storage.getItem('guidelines_accepted')).toBe('true');
  expect(JSON.parse(storage.getItem('cookie_consent') ?? '')).toEqual({
    essential: true,
    analytics: true,
    date: now.toISOString(),
  });
  expect(JSON.parse(storage.getItem('consent_texts') ?? '')).toEqual({
    age: { version: 1, date: now.toISOString() },
    guidelines: { version: 1, date: now.toISOString() },
    cookies: { version: 3, date: now.toISOString() },
  });
  expect(readConsent(storage)).toMatchObject({
    ageConfirmed: true,
    guidelinesAccepted: true,
    cookies: { analytics: true },
  });
});

it('accepts stored choices without a text version', () => {
  const storage = createMemoryStorage({
    age_ok: 'true',
    guidelines_accepted: 'true',
    cookie_consent: '{"essential":true,"analytics":false,"date":"2026-01-01T00:00:00.000Z"}',
  });
  expect(readConsent(storage)).toEqual({
    ageConfirmed: true,
    guidelinesAccepted: true,
    cookies: { essential: true, analytics: false, date: '2026-01-01T00:00:00.000Z' },
  });
});

it.each(['', 'yes', '{', '[]', '{"essential":true}'])('treats the stored cookie choice %j as missing', (stored) => {
  expect(readConsent(createMemoryStorage({ cookie_consent: stored })).cookies).toBeNull();
});

it('allows measurements only after all cookies were accepted with the current text', () => {
  const storage = createMemoryStorage();
  expect(canMeasure(storage)).toBe(false);
  chooseCookies(storage, false, now);
  expect(canMeasure(storage)).toBe(false);
  chooseCookies(storage, true, now);
  expect(canMeasure(storage)).toBe(true);
  // The earlier text did not describe the measurements.
  storage.setItem('consent_texts', JSON.stringify({ cookies: { version: 2, date: now.toISOString() } }));
  expect(canMeasure(storage)).toBe(false);
});

it('allows no measurements after the choice was removed', () => {
  const storage = createMemoryStorage();
  chooseCookies(storage, true, now);
  forgetCookies(storage);
  expect([canMeasure(storage), readConsent(storage).cookies]).toEqual([false, null]);
});
