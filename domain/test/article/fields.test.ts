import { describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import {
  reviseArticleFields,
  correctArticleFields,
  articlePreviewFields,
  createArticleSlug,
  isValidArticleSlug,
  newArticleFields,
  publishArticleFields,
  withdrawArticleFields,
} from '../../src/article/fields.ts';
import { slugify, STATES } from '../../src/places/places.ts';

const least = { title: 'Meeting safely', summary: 'What helps.', body: 'Text' };
const messagesOf = (schema: z.ZodMiniType, input: unknown) =>
  schema.safeParse(input).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
const messagesFor = (changes: Record<string, unknown>) => messagesOf(newArticleFields, { ...least, ...changes });

describe('a new article', () => {
  test('requires title, summary and text, and no other field', () => {
    expect(newArticleFields.parse(least)).toEqual({
      ...least,
      slug: '',
      language: 'en',
      state: null,
      city: null,
      tags: [],
      cover: null,
    });
    for (const field of ['title', 'summary', 'body'])
      expect(messagesFor({ [field]: ' ' })[0]).toBe(`${field}: Please fill in all required fields`);
  });
  test('has a title and a summary on one line, without direction overrides', () => {
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
    ['body', 'a\u0000b', 'Text contains a character that cannot be displayed at position 2'],
    ['tags', ['a', 'b', 'c', 'd', 'e', 'f', 'g'], 'Maximum 6 tags allowed'],
    ['tags', ['a', 'A'], 'The same tag is listed twice'],
    ['city', 'Las Vegas', 'Please choose a state and one of its cities, or neither'],
    ['cover', 'https://elsewhere.example/1600.jpg', 'Use the cover URL that the upload returned'],
  ])('with a bad %s is rejected', (field, value, message) => {
    expect(messagesFor({ [field]: value })).toEqual([`${field}: ${message}`]);
  });
  test('has tags of lower-case letters, digits and hyphens', () => {
    expect(newArticleFields.parse({ ...least, tags: [' First-Time '] }).tags).toEqual(['first-time']);
    for (const tag of ['two words', 'ä', '-a', 'a--b', ''])
      expect(messagesFor({ tags: [tag] })).toEqual([
        'tags.0: A tag must consist of lowercase letters, digits and single hyphens',
      ]);
  });
  test('may be called like a nickname of a city, but not like a city', () => {
    expect(createArticleSlug('Vegas')).toBe('vegas');
    expect(isValidArticleSlug('vegas')).toBe(true);
    expect(createArticleSlug('Las Vegas')).toBe('las-vegas-guide');
  });
  test('may be about a known city', () => {
    expect(newArticleFields.parse({ ...least, state: 'NV', city: 'Reno' })).toMatchObject({
      state: 'NV',
      city: 'Reno',
    });
    expect(messagesFor({ state: 'CA', city: 'Reno' })).toHaveLength(1);
    expect(messagesFor({ state: 'NV' })).toHaveLength(1);
  });
});

describe('the slug of an article', () => {
  test('is derived from the words of the title', () => {
    expect(createArticleSlug('  Meeting, safely: the *first* time! ')).toBe('meeting-safely-the-first-time');
    expect(createArticleSlug('Zürich im Frühling')).toBe('zurich-im-fruhling');
    expect(createArticleSlug('🌹🌹🌹')).toBe('');
    expect(createArticleSlug('شكرا')).toBe('');
  });
  test('is cut within a word for a long title, and never ends with a hyphen', () => {
    expect(createArticleSlug('a'.repeat(120))).toBe('a'.repeat(80));
    expect(createArticleSlug(`${'a'.repeat(79)} b`)).toBe('a'.repeat(79));
  });
  test('is never the slug of a city, which has its own page of articles', () => {
    for (const city of STATES.flatMap(({ cities }) => cities)) {
      expect(isValidArticleSlug(slugify(city))).toBe(false);
      expect(createArticleSlug(city)).toBe(`${slugify(city)}-guide`);
      expect(isValidArticleSlug(createArticleSlug(city))).toBe(true);
    }
    expect(messagesFor({ slug: 'las-vegas' })).toEqual([
      'slug: The address must consist of lowercase letters, digits and single hyphens',
    ]);
  });
  test.each(['Upper', 'two words', 'a--b', '-a', 'a-', 'a.xml', 'ä', '../a', 'a'.repeat(81)])(
    '%s is rejected',
    (slug) => {
      expect(isValidArticleSlug(slug)).toBe(false);
      expect(messagesFor({ slug })).toEqual([
        'slug: The address must consist of lowercase letters, digits and single hyphens',
      ]);
    },
  );
});

describe('changes of an article', () => {
  test('keep absent fields, and can remove place and cover', () => {
    expect(reviseArticleFields.parse({})).toEqual({});
    expect(reviseArticleFields.parse({ state: '', city: null, cover: '' })).toEqual({
      state: null,
      city: null,
      cover: null,
    });
    expect(reviseArticleFields.parse({ slug: 'other' })).toEqual({});
  });
  test('require a note if the article is published', () => {
    expect(messagesOf(correctArticleFields, { body: 'Other' })).toEqual(['note: Please fill in all required fields']);
    expect(correctArticleFields.parse({ body: 'Other', note: ' Clearer. ' })).toEqual({
      body: 'Other',
      note: 'Clearer.',
    });
  });
});

test('a publication time requires a date and an offset', () => {
  expect(publishArticleFields.parse({})).toEqual({ publishAt: null });
  expect(publishArticleFields.parse({ publishAt: '2027-01-01T09:00:00+01:00' })).toEqual({
    publishAt: '2027-01-01T09:00:00+01:00',
  });
  for (const publishAt of ['tomorrow', '2027-01-01', '2027-01-01T09:00:00', 5])
    expect(messagesOf(publishArticleFields, { publishAt })).toEqual(['publishAt: Please choose a date and a time']);
});

test('the reason of a withdrawal is optional', () => {
  expect(withdrawArticleFields.parse({})).toEqual({ reason: null });
  expect(withdrawArticleFields.parse({ reason: ' Out of date. ' })).toEqual({ reason: 'Out of date.' });
});

test('a preview accepts a text of the maximum length of an article', () => {
  expect(messagesOf(articlePreviewFields, { body: '' })[0]).toBe('body: Please fill in all required fields');
  expect(messagesOf(articlePreviewFields, { body: 'x'.repeat(100_000) })).toEqual([]);
  expect(messagesOf(articlePreviewFields, { body: 'x'.repeat(100_001) })).toHaveLength(1);
});
