import * as constants from '@alpenglow/domain';
import { CATEGORIES, STATES } from '@alpenglow/domain';
import { expect, test } from 'vitest';

/** Each row compares one constant with its value in the product rules. */
test.each([
  ['Bump cooldown', constants.BUMP_COOLDOWN_ms, 30 * 60_000],
  ['Live channel reconnect delay', constants.LIVE_RECONNECT_ms, 5_000],
  ['Health-check timeout', constants.HEALTH_TIMEOUT_ms, 5_000],
  ['Upload timeout', constants.UPLOAD_TIMEOUT_ms, 300_000],
  ['Max photos', constants.MAX_PHOTOS, 5],
  ['Max file size', constants.MAX_FILE_bytes, 104_857_600],
  ['Video max duration', constants.MAX_VIDEO_s, 20],
  ['Resize threshold', constants.RESIZE_THRESHOLD_bytes, 2_621_440],
  ['Resize max dimension', constants.RESIZE_MAX_px, 1_600],
  ['Resize JPEG quality', constants.RESIZE_JPEG_QUALITY, 0.85],
  ['Upload attempts: 3, waits', constants.UPLOAD_RETRY_WAITS_ms, [2_000, 4_000]],
  ['Status message lifetime', constants.UPLOAD_STATUS_LIFETIME_ms, 3_000],
  ['Minimum age', constants.MINIMUM_AGE_years, 18],
  ['States', STATES.map(({ code }) => code), ['CA', 'NV', 'NY', 'AZ', 'FL', 'TX', 'IL']],
  ['Categories', CATEGORIES, ['escort', 'massage', 'companion', 'fetish']],
  ['Demo fallback photos', constants.DEMO_FALLBACK_PHOTOS, 3],
  ['Page chunk load timeout', constants.CHUNK_LOAD_TIMEOUT_ms, 120_000],
  ['Demo ads per city', constants.DEMO_ADS_PER_CITY, 10],
  ['Demo category weights', constants.DEMO_WEIGHTS_percent, { escort: 60, massage: 25, companion: 10, fetish: 5 }],
  ['Demo reviews', constants.DEMO_REVIEWS, { min: 2, max: 4 }],
  ['Demo ratings', constants.DEMO_RATINGS, { min: 2, max: 5 }],
  ['E-mail sending service library version', constants.MAIL_SERVICE_VERSION, '4.4.1'],
])('%s', (_line, value, specified) => {
  expect(value).toEqual(specified);
});

test('every state has 17 to 20 cities', () => {
  for (const { code, cities } of STATES) expect(cities.length >= 17 && cities.length <= 20, code).toBe(true);
});
