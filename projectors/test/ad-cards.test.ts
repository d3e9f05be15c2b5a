import { createSignature, TITLE_WORD, type DomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import type { Projection, Row } from '../src/projection.ts';
import { adCards as typedAdCards } from '../src/projections/ad-cards.ts';
import {
  formatAdSearchVector,
  parseDescriptionWords,
  extractDescriptionWords,
  parseLexemes,
} from '../src/projections/ad-search-vector.ts';
import { tallyDifferences } from '../src/tallies.ts';
import { minutesLater, project } from './project.ts';
import { SAMPLES } from './samples.ts';

const adCards = typedAdCards as unknown as Projection;
const {
  AdPosted: posted,
  AdUpdated: updated,
  AdBumped: bumped,
  AdReviewed: reviewed,
  AdReviewEdited: reviewEdited,
  AdReviewDeleted: reviewDeleted,
  AdReviewRemoved: reviewRemoved,
  AdFeatured: featured,
  AdDeleted: deleted,
} = SAMPLES;
const adPostedWith = (fields: Partial<(typeof posted)['data']>): DomainEvent => ({
  ...posted,
  data: { ...posted.data, ...fields },
});
const adUpdatedWith = (fields: Omit<(typeof updated)['data'], 'accountId' | 'adId'>): DomainEvent => ({
  ...updated,
  data: { accountId: 'anna', adId: 'ad-1', ...fields },
});
const cardAfter = (...events: readonly DomainEvent[]) =>
  project(adCards, ...events)['anna'] as Row & { readonly words: string; readonly signature: string };
const wordsOf = (...events: readonly DomainEvent[]) => [...parseLexemes(cardAfter(...events).words)].sort();

describe('ad cards', () => {
  test('AdPosted adds the ad', () => {
    expect(cardAfter(posted)).toMatchObject({
      ad_id: 'ad-1',
      title: 'Good company',
      city_slug: 'st-petersburg',
      photos: ['m1'],
      video: 'm2',
      is_featured: false,
      bump_count: 0,
      created_at: minutesLater(0),
      last_bumped_at: minutesLater(0),
      revision: 0,
    });
  });
  test('AdUpdated changes fields, but not the order in lists', () => {
    expect(cardAfter(posted, updated)).toMatchObject({
      title: 'New',
      city: 'Miami',
      city_slug: 'miami',
      name: 'Anna',
      updated_at: minutesLater(1),
      last_bumped_at: minutesLater(0),
      revision: 1,
    });
  });
  test('AdUpdated removes the video', () => {
    expect(cardAfter(posted, adUpdatedWith({ video: null }))).toMatchObject({ video: null, photos: ['m1'] });
  });
  test('AdBumped moves the ad up', () => {
    expect(cardAfter(posted, bumped)).toMatchObject({
      bump_count: 1,
      last_bumped_at: minutesLater(1),
      updated_at: minutesLater(1),
      created_at: minutesLater(0),
    });
  });
  test('AdReviewed counts the review and does not change `updated_at`', () => {
    expect(cardAfter(posted, reviewed, reviewed)).toMatchObject({
      rating_sum: 16,
      weight_sum: 4,
      review_count: 2,
      updated_at: minutesLater(0),
    });
  });
  test('AdReviewEdited changes the sum of the ratings only', () => {
    expect(cardAfter(posted, reviewed, reviewed, reviewEdited)).toMatchObject({
      rating_sum: 12,
      weight_sum: 4,
      review_count: 2,
    });
  });
  test('AdReviewDeleted and AdReviewRemoved no longer count the review', () => {
    for (const event of [reviewDeleted, reviewRemoved])
      expect(cardAfter(posted, reviewed, reviewed, event)).toMatchObject({
        rating_sum: 8,
        review_count: 1,
        revision: 3,
        updated_at: minutesLater(0),
      });
  });
  test('weighs each rating, also after an edit, a deletion and a new ad', () => {
    const weight = 4;
    const strong = { ...reviewed, data: { ...reviewed.data, rating: 5, weight } };
    expect(cardAfter(posted, reviewed, strong)).toMatchObject({ rating_sum: 8 + 20, weight_sum: 6, review_count: 2 });
    const edited = { ...reviewEdited, data: { ...reviewEdited.data, previousRating: 5, rating: 3, weight } };
    expect(cardAfter(posted, reviewed, strong, edited)).toMatchObject({ rating_sum: 8 + 12, weight_sum: 6 });
    const gone = { ...reviewDeleted, data: { ...reviewDeleted.data, rating: 5, weight } };
    expect(cardAfter(posted, reviewed, strong, gone)).toMatchObject({ rating_sum: 8, weight_sum: 2, review_count: 1 });

    const old = {
      adId: 'ad-0',
      createdAt: minutesLater(0),
      lastBumpedAt: minutesLater(0),
      ratingSum: 7,
      reviewCount: 2,
    };
    const after = (earlier: typeof old & { weighed?: { ratingSum: number; weightSum: number } }) =>
      cardAfter({ ...posted, data: { ...posted.data, earlier } });
    expect(after(old)).toMatchObject({ rating_sum: 14, weight_sum: 4, review_count: 2 });
    const weighed = { ratingSum: 26, weightSum: 6 };
    expect(after({ ...old, weighed })).toMatchObject({ rating_sum: 26, weight_sum: 6, review_count: 2 });
  });
  test('AdReviewRemoved does not count a deleted review again', () => {
    const removedLater = { ...reviewRemoved, data: { ...reviewRemoved.data, rating: null } };
    expect(cardAfter(posted, reviewed, reviewed, reviewDeleted, removedLater)).toMatchObject({
      rating_sum: 8,
      review_count: 1,
      revision: 4,
    });
  });
  test('AdFeatured sets and clears the mark and does not change `updated_at`', () => {
    expect(cardAfter(posted, featured)).toMatchObject({ is_featured: true, updated_at: minutesLater(0), revision: 1 });
    expect(cardAfter(posted, featured, { ...featured, data: { ...featured.data, isFeatured: false } })).toMatchObject({
      is_featured: false,
    });
  });
  test('AdDeleted removes the ad', () => {
    expect(project(adCards, posted, deleted)).toEqual({});
  });
  test('the next ad of the same provider has default values again', () => {
    expect(cardAfter(posted, bumped, featured, deleted, adPostedWith({ adId: 'ad-2' }))).toMatchObject({
      ad_id: 'ad-2',
      bump_count: 0,
      is_featured: false,
      created_at: minutesLater(4),
    });
  });
  test('a card contains no field that only the ad page shows', () => {
    expect(JSON.stringify(project(adCards, posted))).not.toContain('555');
  });
  test('the stock pictures of demo ads do not count as uploaded photos', () => {
    expect(cardAfter(adPostedWith({ photos: ['demo-01'], isDemo: true }))).toMatchObject({ has_photos: false });
    expect(cardAfter(adPostedWith({ photos: [] }))).toMatchObject({ has_photos: false });
    expect(cardAfter(adPostedWith({ photos: ['mine'] }))).toMatchObject({ has_photos: true });
    expect(cardAfter(posted, adUpdatedWith({ photos: [] }))).toMatchObject({ has_photos: false });
  });
  test('the numeric price is derived from the price text', () => {
    expect(cardAfter(adPostedWith({ price: '$1,200 / night' }))).toMatchObject({ price_amount: 1200 });
    expect(cardAfter(adPostedWith({ price: '1.500' }))).toMatchObject({ price: '1.500', price_amount: 1500 });
    expect(cardAfter(posted, adUpdatedWith({ price: '1 500,50 €' }))).toMatchObject({ price_amount: 1500 });
    expect(cardAfter(adPostedWith({ price: '150 / h' }), adUpdatedWith({ price: 'on request' }))).toMatchObject({
      price: 'on request',
      price_amount: null,
    });
    expect(cardAfter(adPostedWith({ price: '150 / h' }), adUpdatedWith({ title: 'New' }))).toMatchObject({
      price_amount: 150,
    });
  });
});

/** The positions of a word of a description, the least important word first. */
const POSITIONS = ['3', '3,4', '3C', '3C,4C', '3B', '3B,4B', '3B,4B,5B'];

describe('the words of an ad', () => {
  test('have a signature, also after an edit', () => {
    for (const events of [[posted], [posted, updated], [posted, updated, adUpdatedWith({ price: '10' })]]) {
      const { words, signature } = cardAfter(...events);
      expect(signature).toBe(createSignature(parseLexemes(words)));
    }
    expect(cardAfter(posted, updated).signature).not.toBe(cardAfter(posted).signature);
  });
  const texts = { title: 'Été à Zürich', name: "O'Neil", city: 'St. Petersburg', state: 'FL', category: 'escort' };
  test('come from title, name, place, category and description, normalized and without duplicates', () => {
    const words = parseLexemes(formatAdSearchVector(texts, extractDescriptionWords('Calm, calm; ete.')));
    expect(words.filter((word) => !word.startsWith(TITLE_WORD)).sort()).toEqual([
      'a',
      'calm',
      'escort',
      'ete',
      'fl',
      'florida',
      'neil',
      'o',
      'pete',
      'petersburg',
      // People also search for `Saint`.
      'saint',
      'st',
      'zurich',
    ]);
    expect(words.filter((word) => word.startsWith(TITLE_WORD)).sort()).toEqual([
      '.a',
      '.ete',
      '.neil',
      '.o',
      '.zurich',
    ]);
  });
  test('a word has the positions of the texts that it occurs in', () => {
    const words = formatAdSearchVector({ ...texts, title: 'calm', name: 'calm' }, new Map([['calm', '3C,4C']]));
    expect(words).toContain("'calm':1A,3C,4C '");
    expect(words).toContain("'.calm'");
    expect(words).toContain("'florida':2 ");
  });
  test('a word is more important if it occurs more often, or if the description is shorter', () => {
    const importance = (description: string) => {
      const positions = extractDescriptionWords(description).get('calm') ?? '';
      return [...POSITIONS].indexOf(positions);
    };
    const filler = (count: number) => Array.from({ length: count }, (_, number) => `w${number}`).join(' ');
    const values = [
      importance(`calm ${filler(250)}`),
      importance(`calm ${filler(60)}`),
      importance(`calm calm ${filler(60)}`),
      importance(`calm calm calm calm ${filler(20)}`),
    ];
    expect(values).toEqual(values.toSorted((one, other) => one - other));
    expect(new Set(values).size).toBe(values.length);
    expect(values).not.toContain(-1);
  });
  test('parseDescriptionWords finds the words of the description, also in the format of Postgres', () => {
    const description = extractDescriptionWords('Calm and good company, calm and quiet');
    expect(parseDescriptionWords(formatAdSearchVector(texts, description))).toEqual(description);
    expect([...parseDescriptionWords("'.calm' 'calm':1A,3C 'good':3,4 'miami':2 'quiet':2,3B,4B")]).toEqual([
      ['calm', '3C'],
      ['good', '3,4'],
      ['quiet', '3B,4B'],
    ]);
  });
  test('no text of a provider can end a quote', () => {
    expect(formatAdSearchVector({ ...texts, title: `' \\ ":*A' & !x`, name: "''" }, new Map())).toMatch(
      /^(?:'[\p{L}\p{N}]+':[\dABC,]+ |'\.[\p{L}\p{N}]+' ?)+$/u,
    );
  });
  test('an edit of one text does not change the words of the other texts', () => {
    expect(wordsOf(posted, adUpdatedWith({ title: 'New' }))).toEqual(wordsOf(adPostedWith({ title: 'New' })));
    expect(wordsOf(posted, adUpdatedWith({ description: 'Other.' }))).toEqual(
      wordsOf(adPostedWith({ description: 'Other.' })),
    );
    expect(wordsOf(posted, adUpdatedWith({ state: 'NV', city: 'Reno', category: 'massage' }))).toEqual(
      wordsOf(adPostedWith({ state: 'NV', city: 'Reno', category: 'massage' })),
    );
  });
});

describe('the tallies of ads', () => {
  const [places, vocabulary] = adCards.tallies ?? [];
  if (!places || !vocabulary) throw new Error('ad_cards has two tallies');
  const rows = (...events: readonly DomainEvent[]) => new Map(Object.entries(project(adCards, ...events)));
  const change = (tally: typeof places, before: ReadonlyMap<string, Row>, after: ReadonlyMap<string, Row | null>) =>
    Object.fromEntries(tallyDifferences(tally, before, after));

  test('AdPosted increments the counts of its place and its words', () => {
    expect(change(places, new Map(), rows(posted))).toEqual({ 'FL|st-petersburg|escort': 1 });
    expect(change(vocabulary, new Map(), rows(posted))).toMatchObject({
      good: 1,
      company: 1,
      anna: 1,
      calm: 1,
      florida: 1,
    });
  });
  test('AdUpdated moves the counts to the new place and words', () => {
    expect(change(places, rows(posted), rows(posted, updated))).toEqual({
      'FL|st-petersburg|escort': -1,
      'FL|miami|escort': 1,
    });
    expect(change(vocabulary, rows(posted), rows(posted, adUpdatedWith({ title: 'Good evening' })))).toEqual({
      company: -1,
      '.company': -1,
      evening: 1,
      '.evening': 1,
    });
  });
  test.each([bumped, reviewed, featured])('$type changes no count', (event) => {
    for (const tally of [places, vocabulary]) expect(change(tally, rows(posted), rows(posted, event))).toEqual({});
  });
  test('AdDeleted decrements the counts of its place and its words', () => {
    expect(change(places, rows(posted), new Map([['anna', null]]))).toEqual({ 'FL|st-petersburg|escort': -1 });
    expect(change(vocabulary, rows(posted), new Map([['anna', null]]))).toMatchObject({ good: -1, calm: -1 });
  });
  test('the changes of several ads in a batch are added up', () => {
    const after = new Map([...rows(posted), ['ben', { ...cardAfter(posted), account_id: 'ben', ad_id: 'ad-2' }]]);
    expect(change(places, new Map(), after)).toEqual({ 'FL|st-petersburg|escort': 2 });
  });
});
