import { expect, test } from 'vitest';
import { isRenewalDue, NO_RENEWAL } from '../src/moderation/claim-renewal.ts';

const MINUTE_ms = 60_000;
/** The claim in these tests lasts from 0 to 30 minutes. */
const UNTIL_ms = 30 * MINUTE_ms;
const typedAt = (inputAt_ms: number) => ({ ...NO_RENEWAL, inputAt_ms });

test('a claim is renewed only shortly before it expires', () => {
  for (const minute of [1, 20, 24])
    expect(isRenewalDue(typedAt(minute * MINUTE_ms), UNTIL_ms, minute * MINUTE_ms)).toBe(false);
  for (const minute of [25, 29]) {
    const now_ms = minute * MINUTE_ms;
    expect(isRenewalDue(typedAt(now_ms), UNTIL_ms, now_ms)).toBe(true);
  }
  expect(isRenewalDue(typedAt(UNTIL_ms), UNTIL_ms, UNTIL_ms), 'an expired claim is not renewed').toBe(false);
});

test('a claim is renewed only if the moderator is typing', () => {
  const now_ms = 26 * MINUTE_ms;
  expect(isRenewalDue(NO_RENEWAL, UNTIL_ms, now_ms)).toBe(false);
  expect(isRenewalDue(typedAt(now_ms - 11 * MINUTE_ms), UNTIL_ms, now_ms)).toBe(false);
  expect(isRenewalDue(typedAt(now_ms - 9 * MINUTE_ms), UNTIL_ms, now_ms)).toBe(true);
});

test('the number of attempts is limited, and there is time between them', () => {
  const now_ms = 26 * MINUTE_ms;
  const attempted = { ...typedAt(now_ms), attemptedAt_ms: now_ms - 10_000, attempts: 1 };
  expect(isRenewalDue(attempted, UNTIL_ms, now_ms)).toBe(false);
  expect(isRenewalDue(attempted, UNTIL_ms, now_ms + 20_000)).toBe(true);
  expect(isRenewalDue({ ...attempted, attempts: 1_000 }, UNTIL_ms, now_ms + 20_000)).toBe(false);
});
