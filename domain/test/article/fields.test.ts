import { describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import {
  articleChanges,
  articleCorrection,
  articlePreviewFields,
  articleSlugOf,
  isArticleSlug,
  newArticleFields,
  publishFields,
  withdrawFields,
} from '../../src/article/fields.ts';
import { slugOf, STATES } from '../../src/places/places.ts';

const least = { title: 'Meeting safely', summary: 'What helps.', body: 'Text' };
const messagesOf = (schema: z.ZodMiniType, input: unknown) =>
  schema.safeParse(input).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
const refused = (changes: Record<string, unknown>) => messagesOf(newArticleFields, { ...least, ...changes });

describe('an article that is drafted', () => {
  test('needs a title, a summary and a text; everything else may be left out', () => {
    expect(newArticleFields.parse(least)).toEqual({
      ...least,
      slug: '',
      state: null,
      city: null,
      tags: [],
      cover: null,
    });
    for (const field of ['title', 'summary', 'body'])
      expect(refused({ [field]: ' ' })[0]).toBe(`${field}: Please fill in all required fields`);
  });
  test('is on one line in title and summary, and has no turned directions there', () => {
    expect(newArticleFields.parse({ ...least, title: 'One\n two \u202Ethree', summary: ' a\tb ' })).toMatchObject({
      title: 'One two three',
      summary: 'a b',
    });
  });
  test.each([
    ['title', 'x'.repeat(121), 'Title must be at most 120 characters'],
    ['title', 'ab', 'Title must be at least 3 characters'],
    ['summary', 'x'.repeat(301), 'Summary must be at most 300 characters'],
    ['body', 'x'.repeat(100_001), 'Text must be at most 100000 characters'],
    ['body', 'a\u0000b', 'Text has characters that cannot be shown'],
    ['tags', ['a', 'b', 'c', 'd', 'e', 'f', 'g'], 'Maximum 6 tags allowed'],
    ['tags', ['a', 'A'], 'The same tag is listed twice'],
    ['city', 'Las Vegas', 'Please choose a state and one of its cities, or neither'],
    ['cover', 'https://elsewhere.example/1600.jpg', 'A cover must be the address its upload answered'],
  ])('with a bad %s is refused', (field, value, message) => {
    expect(refused({ [field]: value })).toEqual([`${field}: ${message}`]);
  });
  test('has tags of small letters, digits and hyphens', () => {
    expect(newArticleFields.parse({ ...least, tags: [' First-Time '] }).tags).toEqual(['first-time']);
    for (const tag of ['two words', 'ä', '-a', 'a--b', ''])
      expect(refused({ tags: [tag] })).toEqual(['tags.0: A tag has small letters, digits and single hyphens']);
  });
  test('may be about a city of ours', () => {
    expect(newArticleFields.parse({ ...least, state: 'NV', city: 'Reno' })).toMatchObject({
      state: 'NV',
      city: 'Reno',
    });
    expect(refused({ state: 'CA', city: 'Reno' })).toHaveLength(1);
    expect(refused({ state: 'NV' })).toHaveLength(1);
  });
});

describe('an address', () => {
  test('is made of the words of the title', () => {
    expect(articleSlugOf('  Meeting, safely: the *first* time! ')).toBe('meeting-safely-the-first-time');
    expect(articleSlugOf('Zürich im Frühling')).toBe('zurich-im-fruhling');
    expect(articleSlugOf('🌹🌹🌹')).toBe('');
    expect(articleSlugOf('شكرا')).toBe('');
  });
  test('of a long title ends within a word, never with a hyphen', () => {
    expect(articleSlugOf('a'.repeat(120))).toBe('a'.repeat(80));
    expect(articleSlugOf(`${'a'.repeat(79)} b`)).toBe('a'.repeat(79));
  });
  test('is never that of a city, which has its own page of articles', () => {
    for (const city of STATES.flatMap(({ cities }) => cities)) {
      expect(isArticleSlug(slugOf(city))).toBe(false);
      expect(articleSlugOf(city)).toBe(`${slugOf(city)}-guide`);
      expect(isArticleSlug(articleSlugOf(city))).toBe(true);
    }
    expect(refused({ slug: 'las-vegas' })).toEqual(['slug: An address has small letters, digits and single hyphens']);
  });
  test.each(['Upper', 'two words', 'a--b', '-a', 'a-', 'a.xml', 'ä', '../a', 'a'.repeat(81)])(
    '%s is refused',
    (slug) => {
      expect(isArticleSlug(slug)).toBe(false);
      expect(refused({ slug })).toEqual(['slug: An address has small letters, digits and single hyphens']);
    },
  );
});

describe('changes', () => {
  test('leave alone what they do not name, and can take place and cover away', () => {
    expect(articleChanges.parse({})).toEqual({});
    expect(articleChanges.parse({ state: '', city: null, cover: '' })).toEqual({
      state: null,
      city: null,
      cover: null,
    });
    expect(articleChanges.parse({ slug: 'other' })).toEqual({});
  });
  test('of a published article need a note', () => {
    expect(messagesOf(articleCorrection, { body: 'Other' })).toEqual(['note: Please fill in all required fields']);
    expect(articleCorrection.parse({ body: 'Other', note: ' Clearer. ' })).toEqual({ body: 'Other', note: 'Clearer.' });
  });
});

test('a time of publishing has a date and an offset', () => {
  expect(publishFields.parse({})).toEqual({ publishAt: null });
  expect(publishFields.parse({ publishAt: '2027-01-01T09:00:00+01:00' })).toEqual({
    publishAt: '2027-01-01T09:00:00+01:00',
  });
  for (const publishAt of ['tomorrow', '2027-01-01', '2027-01-01T09:00:00', 5])
    expect(messagesOf(publishFields, { publishAt })).toEqual(['publishAt: Please choose a date and a time']);
});

test('a reason for taking an article down may be left out', () => {
  expect(withdrawFields.parse({})).toEqual({ reason: null });
  expect(withdrawFields.parse({ reason: ' Out of date. ' })).toEqual({ reason: 'Out of date.' });
});

test('a preview needs a text of the length an article may have', () => {
  expect(messagesOf(articlePreviewFields, { body: '' })[0]).toBe('body: Please fill in all required fields');
  expect(messagesOf(articlePreviewFields, { body: 'x'.repeat(100_000) })).toEqual([]);
  expect(messagesOf(articlePreviewFields, { body: 'x'.repeat(100_001) })).toHaveLength(1);
});
