import { describe, expect, test } from 'vitest';
import type { AdminArticleView } from '@alpenglow/domain/contracts';
import { DRAFT_LIFETIME_ms, errorsByField } from '@alpenglow/ui';
import {
  EMPTY_VALUES,
  validateArticleValues,
  toArticleFields,
  hasSameValues,
  REQUIRED_MESSAGE,
  getNewArticleSlug,
  parseTags,
  toArticleValues,
  type ArticleValues,
} from '../src/blog/article-values.ts';
import { createArticleDrafts } from '../src/blog/draft.ts';
import { parseDateTimeInput, getNextFullHour, toDateTimeInput } from '../src/blog/date-time-input.ts';
import { createMemoryStorage } from '../../tests/support/memory-storage.ts';

const VALUES = { ...EMPTY_VALUES, title: 'Meeting safely', summary: 'What helps.', body: '## Before', tags: 'safety' };

/** Returns the error message of each invalid form field. */
function errorsOf(values: ArticleValues): Readonly<Record<string, string>> {
  const validation = validateArticleValues(values);
  return validation.success ? {} : errorsByField(validation.error);
}

describe('the form values of an article', () => {
  test('are converted to the fields of a request', () => {
    expect(toArticleFields({ ...VALUES, tags: 'Safety, For clients,, safety', state: 'NV', city: 'Reno' })).toEqual({
      title: 'Meeting safely',
      summary: 'What helps.',
      body: '## Before',
      language: 'en',
      state: 'NV',
      city: 'Reno',
      tags: ['safety', 'for-clients'],
      cover: null,
    });
    expect(toArticleFields(VALUES)).toMatchObject({ state: null, city: null, cover: null });
    expect(parseTags(' , ')).toEqual([]);
  });

  test('give a slug that is derived from the title unless a slug is entered', () => {
    expect(getNewArticleSlug(VALUES)).toBe('meeting-safely');
    expect(getNewArticleSlug({ ...VALUES, slug: 'first-time' })).toBe('first-time');
    expect(getNewArticleSlug({ title: 'Las Vegas', slug: '' })).toBe('las-vegas-guide');
  });

  test('are validated with the rules of the server, field by field', () => {
    expect(errorsOf(VALUES)).toEqual({});
    const errors = errorsOf({ ...VALUES, title: ' ', slug: 'Not An Address', tags: 'one, zwei!' });
    expect(Object.keys(errors).sort()).toEqual(['slug', 'tags', 'title']);
    expect(errors['title']).toBe(REQUIRED_MESSAGE);
    expect(errorsOf({ ...VALUES, state: 'NV' })).toHaveProperty('city');
  });

  test('are equal if they differ only in spaces, in the case of tags or in the variant of the cover', () => {
    expect(hasSameValues(VALUES, { ...VALUES, tags: ' Safety ', title: 'Meeting safely ' })).toBe(true);
    expect(
      hasSameValues({ ...VALUES, cover: '/uploads/photos/abc/1600.jpg' }, { ...VALUES, cover: '/uploads/photos/abc' }),
    ).toBe(true);
    expect(hasSameValues(VALUES, { ...VALUES, body: '## After' })).toBe(false);
  });

  test('are derived from an article', () => {
    const article = {
      slug: 'a',
      status: 'draft',
      title: 'T',
      summary: 'S',
      language: 'fr',
      state: null,
      city: null,
      tags: ['one', 'two'],
      cover: null,
      publishAt: null,
      publishedAt: null,
      updatedAt: '',
      corrections: [],
      body: 'B',
      html: '',
    } satisfies AdminArticleView;
    expect(toArticleValues(article)).toEqual({
      title: 'T',
      slug: 'a',
      summary: 'S',
      language: 'fr',
      state: '',
      city: '',
      tags: 'one, two',
      cover: '',
      body: 'B',
    });
  });
});

describe('the draft of an article', () => {
  test('is restored with its revision, but only for its article and its author', () => {
    const storage = createMemoryStorage();
    const drafts = createArticleDrafts({ storage, viewer: 'admin-1', slug: 'a' });
    expect(drafts.load()).toBeNull();
    expect(drafts.save(VALUES, '"7"')).toBe(true);
    expect(drafts.load()).toMatchObject({ values: VALUES, revision: '"7"' });
    expect(createArticleDrafts({ storage, viewer: 'admin-1', slug: 'b' }).load()).toBeNull();
    expect(createArticleDrafts({ storage, viewer: 'admin-1', slug: null }).load()).toBeNull();
    expect(createArticleDrafts({ storage, viewer: 'admin-2', slug: 'a' }).load()).toBeNull();
    drafts.clear();
    expect(drafts.load()).toBeNull();
  });

  test('expires after a week', () => {
    const storage = createMemoryStorage();
    createArticleDrafts({ storage, viewer: 'x', slug: null, now_ms: () => 0 }).save(VALUES, null);
    expect(
      createArticleDrafts({ storage, viewer: 'x', slug: null, now_ms: () => DRAFT_LIFETIME_ms - 1 }).load(),
    ).not.toBeNull();
    expect(
      createArticleDrafts({ storage, viewer: 'x', slug: null, now_ms: () => DRAFT_LIFETIME_ms }).load(),
    ).toBeNull();
  });

  test.each(['{', 'null', '{"values":3,"savedAt_ms":1}', '{"values":{}}'])(
    'is ignored if its content is invalid: %s',
    (text) => {
      const storage = createMemoryStorage();
      createArticleDrafts({ storage, viewer: 'x', slug: null }).save(VALUES, null);
      for (const key of storage.items.keys()) storage.items.set(key, text);
      expect(createArticleDrafts({ storage, viewer: 'x', slug: null, now_ms: () => 2 }).load()).toBeNull();
    },
  );

  test('reports that a full storage could not store it', () => {
    const full = {
      ...createMemoryStorage(),
      setItem: () => {
        throw new Error('full');
      },
    };
    expect(createArticleDrafts({ storage: full, viewer: 'x', slug: null }).save(VALUES, null)).toBe(false);
  });
});

describe('the publication time', () => {
  test('is converted to the value of the input and back, to the minute', () => {
    const at = '2027-03-04T05:06:00.000Z';
    expect(toDateTimeInput(at)).toMatch(/^2027-03-0[345]T\d\d:\d\d$/u);
    expect(parseDateTimeInput(toDateTimeInput(at))).toBe(at);
    expect(parseDateTimeInput('')).toBeNull();
    expect(parseDateTimeInput('soon')).toBeNull();
  });

  test('defaults to a full hour that is at least half an hour away', () => {
    expect(getNextFullHour(Date.parse('2027-01-01T08:10:00.000Z'))).toBe('2027-01-01T09:00:00.000Z');
    expect(getNextFullHour(Date.parse('2027-01-01T08:40:00.000Z'))).toBe('2027-01-01T10:00:00.000Z');
  });
});
