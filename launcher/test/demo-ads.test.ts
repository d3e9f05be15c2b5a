import { CATEGORIES, newAdFields, STATES } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import { demoAds } from '../seed/demo-ads.ts';

const ads = demoAds();

/** Tests the demo data. */
describe('demo ads', () => {
  test('are at least 10 for every city of 7 states with 17 to 20 cities each', () => {
    expect(STATES).toHaveLength(7);
    for (const { code, cities } of STATES) {
      expect(cities.length, code).toBeGreaterThanOrEqual(17);
      expect(cities.length, code).toBeLessThanOrEqual(20);
      expect(new Set(cities).size, code).toBe(cities.length);
      for (const city of cities)
        expect(
          ads.filter(({ fields }) => fields.state === code && fields.city === city).length,
          city,
        ).toBeGreaterThanOrEqual(10);
    }
  });
  test('differ in number between cities', () => {
    const counts = new Map<string, number>();
    for (const { fields } of ads) counts.set(fields.city, (counts.get(fields.city) ?? 0) + 1);
    expect(new Set(counts.values()).size).toBeGreaterThan(5);
    expect(Math.max(...counts.values())).toBe(counts.get('Los Angeles'));
  });
  test('show no picture twice on one screen', () => {
    const SCREEN_ads = 15;
    const lists = new Map<string, string[]>();
    for (const { fields, photos, isFeatured } of [...ads].sort((a, b) => a.age_ms - b.age_ms)) {
      const { state, city, category } = fields;
      const names = ['all', state, `${state}/${city}`, category, `${state} ${category}`];
      for (const name of isFeatured ? [...names, 'featured'] : names)
        lists.set(name, [...(lists.get(name) ?? []), photos[0] ?? '']);
    }
    for (const [name, covers] of lists) {
      for (let first = 0; first < covers.length; first += 1) {
        const screen = covers.slice(first, first + SCREEN_ads);
        expect(new Set(screen).size, `${name}, from ad ${first}`).toBe(screen.length);
      }
    }
  });
  test('show at least forty pictures, and no picture twice in one ad', () => {
    expect(new Set(ads.map(({ photos }) => photos[0])).size).toBeGreaterThanOrEqual(40);
    expect(ads.every(({ photos }) => new Set(photos).size === photos.length)).toBe(true);
  });
  test('are partly verified, and all have been viewed', () => {
    const share = ads.filter(({ isVerified }) => isVerified).length / ads.length;
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.3);
    expect(ads.every(({ views }) => views > 0)).toBe(true);
  });
  test('have categories by weight: 60, 25, 10, 5 per cent', () => {
    const share = (category: string) =>
      (100 * ads.filter(({ fields }) => fields.category === category).length) / ads.length;
    expect(
      CATEGORIES.map(
        (category) => Math.abs(share(category) - { escort: 60, massage: 25, companion: 10, fetish: 5 }[category]) < 3,
      ),
    ).toEqual([true, true, true, true]);
  });
  test('have 2 to 4 reviews each with ratings from 2 to 5, all of which occur', () => {
    expect(new Set(ads.map(({ reviews }) => reviews.length))).toEqual(new Set([2, 3, 4]));
    expect(new Set(ads.flatMap(({ reviews }) => reviews.map(({ rating }) => rating)))).toEqual(new Set([2, 3, 4, 5]));
    expect(ads.every(({ reviews }) => reviews.every(({ comment, name }) => comment && name))).toBe(true);
  });
  test('include about a dozen featured ads', () => {
    const featured = ads.filter(({ isFeatured }) => isFeatured);
    expect(featured.length).toBeGreaterThanOrEqual(10);
    expect(featured.length).toBeLessThanOrEqual(14);
    expect(new Set(featured.map(({ fields }) => fields.state)).size).toBeGreaterThan(4);
  });
  test('comply with the rules for ads', () => {
    for (const { fields, photos } of ads)
      expect(
        newAdFields.safeParse({ ...fields, photos: photos.map((id) => `/uploads/photos/${id}/1600.jpg`) }).error,
      ).toBeUndefined();
  });
  test('are posted by adults under addresses that cannot exist', () => {
    expect(ads.every(({ age, email }) => age >= 21 && email.endsWith('.example'))).toBe(true);
    expect(new Set(ads.map(({ email }) => email)).size).toBe(ads.length);
  });
  test('are the same on every run', () => {
    expect(demoAds()).toEqual(ads);
  });
});
