import type { DomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import type { Projection, Row } from '../src/projection.ts';
import { adCards as typedAdCards } from '../src/projections/ad-cards.ts';
import { adWords, descriptionWordsIn, descriptionWordsOf, lexemesOf } from '../src/projections/ad-words.ts';
import { differencesOf } from '../src/tallies.ts';
import { minutesLater, project } from './given.ts';
import { SAMPLES } from './samples.ts';

const adCards = typedAdCards as unknown as Projection;
const {
  AdPosted: posted,
  AdUpdated: updated,
  AdBumped: bumped,
  AdReviewed: reviewed,
  AdFeatured: featured,
  AdDeleted: deleted,
} = SAMPLES;
const postedWith = (fields: Partial<(typeof posted)['data']>): DomainEvent => ({
  ...posted,
  data: { ...posted.data, ...fields },
});
const updatedTo = (fields: Omit<(typeof updated)['data'], 'accountId' | 'adId'>): DomainEvent => ({
  ...updated,
  data: { accountId: 'anna', adId: 'ad-1', ...fields },
});
const card = (...events: readonly DomainEvent[]) =>
  project(adCards, ...events)['anna'] as Row & { readonly words: string };
const wordsOf = (...events: readonly DomainEvent[]) => [...lexemesOf(card(...events).words)].sort();

describe('ad cards', () => {
  test('AdPosted lists the ad', () => {
    expect(card(posted)).toMatchObject({
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
  test('AdUpdated changes fields, and never the place in the list', () => {
    expect(card(posted, updated)).toMatchObject({
      title: 'New',
      city: 'Miami',
      city_slug: 'miami',
      name: 'Anna',
      updated_at: minutesLater(1),
      last_bumped_at: minutesLater(0),
      revision: 1,
    });
  });
  test('AdUpdated takes the video away', () => {
    expect(card(posted, updatedTo({ video: null }))).toMatchObject({ video: null, photos: ['m1'] });
  });
  test('AdBumped moves the ad up', () => {
    expect(card(posted, bumped)).toMatchObject({
      bump_count: 1,
      last_bumped_at: minutesLater(1),
      updated_at: minutesLater(1),
      created_at: minutesLater(0),
    });
  });
  test('AdReviewed counts, and is no act of the owner', () => {
    expect(card(posted, reviewed, reviewed)).toMatchObject({
      rating_sum: 8,
      review_count: 2,
      updated_at: minutesLater(0),
    });
  });
  test('AdFeatured sets and takes away, and is no act of the owner', () => {
    expect(card(posted, featured)).toMatchObject({ is_featured: true, updated_at: minutesLater(0), revision: 1 });
    expect(card(posted, featured, { ...featured, data: { ...featured.data, isFeatured: false } })).toMatchObject({
      is_featured: false,
    });
  });
  test('AdDeleted takes it off', () => {
    expect(project(adCards, posted, deleted)).toEqual({});
  });
  test('the next ad of the same provider starts anew', () => {
    expect(card(posted, bumped, featured, deleted, postedWith({ adId: 'ad-2' }))).toMatchObject({
      ad_id: 'ad-2',
      bump_count: 0,
      is_featured: false,
      created_at: minutesLater(4),
    });
  });
  test('holds nothing that only the ad page shows', () => {
    expect(JSON.stringify(project(adCards, posted))).not.toContain('555');
  });
  test('pictures of the house are not photos of their own', () => {
    expect(card(postedWith({ photos: ['demo-01', 'demo-12'] }))).toMatchObject({ has_photos: false });
    expect(card(postedWith({ photos: [] }))).toMatchObject({ has_photos: false });
    expect(card(postedWith({ photos: ['demo-01', 'mine'] }))).toMatchObject({ has_photos: true });
    expect(card(posted, updatedTo({ photos: ['demo-01'] }))).toMatchObject({ has_photos: false });
  });
  test('the price as a number follows its text', () => {
    expect(card(postedWith({ price: '$1,200 / night' }))).toMatchObject({ price_amount: 1200 });
    expect(card(postedWith({ price: '150 / h' }), updatedTo({ price: 'on request' }))).toMatchObject({
      price: 'on request',
      price_amount: null,
    });
    expect(card(postedWith({ price: '150 / h' }), updatedTo({ title: 'New' }))).toMatchObject({ price_amount: 150 });
  });
});

describe('the words of an ad', () => {
  const texts = { title: 'Été à Zürich', name: "O'Neil", city: 'St. Petersburg', state: 'FL', category: 'escort' };
  test('are those of title, name, place, category and description, plain and once each', () => {
    expect([...lexemesOf(adWords(texts, descriptionWordsOf('Calm, calm; ete.')))].sort()).toEqual([
      'a',
      'calm',
      'escort',
      'ete',
      'fl',
      'florida',
      'neil',
      'o',
      'petersburg',
      'st',
      'zurich',
    ]);
  });
  test('a word is marked with where it stands', () => {
    expect(adWords({ ...texts, title: 'calm', name: 'calm' }, ['calm'])).toContain("'calm':1A,3C");
  });
  test('those of the description are found again, also as Postgres writes them', () => {
    const description = descriptionWordsOf('Calm and good company');
    expect([...descriptionWordsIn(adWords(texts, description))].sort()).toEqual([...description].sort());
    expect(descriptionWordsIn("'calm':1A,3C 'good':3C 'miami':2B")).toEqual(['calm', 'good']);
  });
  test('nothing a poster writes ends a quote', () => {
    expect(adWords({ ...texts, title: `' \\ ":*A' & !x`, name: "''" }, [])).toMatch(
      /^(?:'[\p{L}\p{N}]+':[\dABC,]+ ?)+$/u,
    );
  });
  test('an edit of one text leaves the words of the others', () => {
    expect(wordsOf(posted, updatedTo({ title: 'New' }))).toEqual(wordsOf(postedWith({ title: 'New' })));
    expect(wordsOf(posted, updatedTo({ description: 'Other.' }))).toEqual(
      wordsOf(postedWith({ description: 'Other.' })),
    );
    expect(wordsOf(posted, updatedTo({ state: 'NV', city: 'Reno', category: 'massage' }))).toEqual(
      wordsOf(postedWith({ state: 'NV', city: 'Reno', category: 'massage' })),
    );
  });
});

describe('the tallies of ads', () => {
  const [places, vocabulary] = adCards.tallies ?? [];
  if (!places || !vocabulary) throw new Error('ad_cards has two tallies');
  const rows = (...events: readonly DomainEvent[]) => new Map(Object.entries(project(adCards, ...events)));
  const change = (tally: typeof places, before: ReadonlyMap<string, Row>, after: ReadonlyMap<string, Row | null>) =>
    Object.fromEntries(differencesOf(tally, before, after));

  test('AdPosted counts its place and its words', () => {
    expect(change(places, new Map(), rows(posted))).toEqual({ 'FL|st-petersburg|escort': 1 });
    expect(change(vocabulary, new Map(), rows(posted))).toMatchObject({
      good: 1,
      company: 1,
      anna: 1,
      calm: 1,
      florida: 1,
    });
  });
  test('AdUpdated moves it', () => {
    expect(change(places, rows(posted), rows(posted, updated))).toEqual({
      'FL|st-petersburg|escort': -1,
      'FL|miami|escort': 1,
    });
    expect(change(vocabulary, rows(posted), rows(posted, updatedTo({ title: 'Good evening' })))).toEqual({
      company: -1,
      evening: 1,
    });
  });
  test.each([bumped, reviewed, featured])('$type changes none', (event) => {
    for (const tally of [places, vocabulary]) expect(change(tally, rows(posted), rows(posted, event))).toEqual({});
  });
  test('AdDeleted counts it off', () => {
    expect(change(places, rows(posted), new Map([['anna', null]]))).toEqual({ 'FL|st-petersburg|escort': -1 });
    expect(change(vocabulary, rows(posted), new Map([['anna', null]]))).toMatchObject({ good: -1, calm: -1 });
  });
  test('ads of one batch are added up', () => {
    const after = new Map([...rows(posted), ['ben', { ...card(posted), account_id: 'ben', ad_id: 'ad-2' }]]);
    expect(change(places, new Map(), after)).toEqual({ 'FL|st-petersburg|escort': 2 });
  });
});
