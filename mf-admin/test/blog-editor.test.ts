import { describe, expect, test } from 'vitest';
import type { AdminArticleView } from '@alpenglow/domain/contracts';
import {
  EMPTY,
  errorsIn,
  fieldsOf,
  isSame,
  REQUIRED_MESSAGE,
  slugOfNew,
  tagsOf,
  valuesOf,
} from '../src/blog/article-values.ts';
import { createArticleDrafts, DRAFT_LIFETIME_ms } from '../src/blog/draft.ts';
import { fromLocalInput, nextFullHour, toLocalInput } from '../src/blog/local-time.ts';

const VALUES = { ...EMPTY, title: 'Meeting safely', summary: 'What helps.', body: '## Before', tags: 'safety' };

function memoryStorage() {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

describe('what stands in the editor', () => {
  test('goes out as the API takes it', () => {
    expect(fieldsOf({ ...VALUES, tags: 'Safety, For clients,, safety', state: 'NV', city: 'Reno' })).toEqual({
      title: 'Meeting safely',
      summary: 'What helps.',
      body: '## Before',
      state: 'NV',
      city: 'Reno',
      tags: ['safety', 'for-clients'],
      cover: null,
    });
    expect(fieldsOf(VALUES)).toMatchObject({ state: null, city: null, cover: null });
    expect(tagsOf(' , ')).toEqual([]);
  });

  test('gets its address from the title until one is written', () => {
    expect(slugOfNew(VALUES)).toBe('meeting-safely');
    expect(slugOfNew({ ...VALUES, slug: 'first-time' })).toBe('first-time');
    expect(slugOfNew({ title: 'Las Vegas', slug: '' })).toBe('las-vegas-guide');
  });

  test('is judged by the rules of the server, field by field', () => {
    expect(errorsIn(VALUES)).toEqual({});
    const errors = errorsIn({ ...VALUES, title: ' ', slug: 'Not An Address', tags: 'one, zwei!' });
    expect(Object.keys(errors).sort()).toEqual(['slug', 'tags', 'title']);
    expect(errors['title']).toBe(REQUIRED_MESSAGE);
    expect(errorsIn({ ...VALUES, state: 'NV' })).toHaveProperty('city');
  });

  test('is the same when it says the same', () => {
    expect(isSame(VALUES, { ...VALUES, tags: ' Safety ', title: 'Meeting safely ' })).toBe(true);
    expect(
      isSame({ ...VALUES, cover: '/uploads/photos/abc/1600.jpg' }, { ...VALUES, cover: '/uploads/photos/abc' }),
    ).toBe(true);
    expect(isSame(VALUES, { ...VALUES, body: '## After' })).toBe(false);
  });

  test('is an article as it is', () => {
    const article = {
      slug: 'a',
      status: 'draft',
      title: 'T',
      summary: 'S',
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
    expect(valuesOf(article)).toEqual({
      title: 'T',
      slug: 'a',
      summary: 'S',
      state: '',
      city: '',
      tags: 'one, two',
      cover: '',
      body: 'B',
    });
  });
});

describe('a draft', () => {
  test('comes back with the revision it was made of, for its article and its writer alone', () => {
    const storage = memoryStorage();
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

  test('is too old after a week', () => {
    const storage = memoryStorage();
    createArticleDrafts({ storage, viewer: 'x', slug: null, now_ms: () => 0 }).save(VALUES, null);
    expect(
      createArticleDrafts({ storage, viewer: 'x', slug: null, now_ms: () => DRAFT_LIFETIME_ms - 1 }).load(),
    ).not.toBeNull();
    expect(
      createArticleDrafts({ storage, viewer: 'x', slug: null, now_ms: () => DRAFT_LIFETIME_ms }).load(),
    ).toBeNull();
  });

  test.each(['{', 'null', '{"values":3,"savedAt_ms":1}', '{"values":{}}'])('of nonsense is none: %s', (text) => {
    const storage = memoryStorage();
    createArticleDrafts({ storage, viewer: 'x', slug: null }).save(VALUES, null);
    for (const key of storage.kept.keys()) storage.kept.set(key, text);
    expect(createArticleDrafts({ storage, viewer: 'x', slug: null, now_ms: () => 2 }).load()).toBeNull();
  });

  test('that cannot be kept says so', () => {
    const full = {
      ...memoryStorage(),
      setItem: () => {
        throw new Error('full');
      },
    };
    expect(createArticleDrafts({ storage: full, viewer: 'x', slug: null }).save(VALUES, null)).toBe(false);
  });
});

describe('a time to publish', () => {
  test('goes into the control and out again, to the minute', () => {
    const at = '2027-03-04T05:06:00.000Z';
    expect(toLocalInput(at)).toMatch(/^2027-03-0[345]T\d\d:\d\d$/u);
    expect(fromLocalInput(toLocalInput(at))).toBe(at);
    expect(fromLocalInput('')).toBeNull();
    expect(fromLocalInput('soon')).toBeNull();
  });

  test('begins with a full hour that is not too near', () => {
    expect(nextFullHour(Date.parse('2027-01-01T08:10:00.000Z'))).toBe('2027-01-01T09:00:00.000Z');
    expect(nextFullHour(Date.parse('2027-01-01T08:40:00.000Z'))).toBe('2027-01-01T10:00:00.000Z');
  });
});
