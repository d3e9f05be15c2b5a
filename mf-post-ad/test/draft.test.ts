import { describe, expect, test } from 'vitest';
import { browserStorage, clearDrafts } from '@alpenglow/ui';
import { createDraftStore, DRAFT_LIFETIME_ms, DRAFT_MEDIA_LIFETIME_ms } from '../src/form/draft.ts';
import { EMPTY } from '../src/form/form-values.ts';

const HOUR_ms = 60 * 60_000;
const content = {
  values: { ...EMPTY, title: 'An evening', phone: '+1 702 555 0134' },
  photos: ['/uploads/photos/a/1600.jpg'],
  video: null,
};

/** One browser's storage, and a clock. */
function browser() {
  const kept = new Map<string, string>();
  const clock = { now_ms: 1_000_000 };
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    key: (index: number) => [...kept.keys()][index] ?? null,
    get length() {
      return kept.size;
    },
  };
  const drafts = (viewer: string | null, adId: string | null = null) =>
    createDraftStore({ storage, viewer, adId, now_ms: () => clock.now_ms });
  return { kept, clock, storage, drafts };
}

test('a draft survives the page, not the posting', () => {
  const { drafts } = browser();
  expect(drafts('u1').save(content)).toBe(true);
  expect(drafts('u1').load()).toEqual({ ...content, savedAt_ms: 1_000_000, revision: null, hasLostMedia: false });
  drafts('u1').clear();
  expect(drafts('u1').load()).toBeNull();
});

test('storage that is forbidden costs the draft, not the form', () => {
  const drafts = createDraftStore({ storage: browserStorage(() => null), viewer: 'u1', adId: null });
  expect(drafts.load()).toBeNull();
  expect(drafts.save(content)).toBe(false);
  expect(() => drafts.clear()).not.toThrow();
});

describe('whose it is', () => {
  test('a user’s is nobody else’s', () => {
    const { drafts } = browser();
    drafts('u1').save(content);
    expect(drafts('u2').load()).toBeNull();
    expect(drafts(null).load()).toBeNull();
  });

  test('a guest’s is taken over by whoever signs in, unless theirs is newer', () => {
    const { drafts, clock, kept } = browser();
    drafts(null).save(content);
    expect(drafts('u1').load()?.values.title).toBe('An evening');
    expect(kept.size, 'it is not a guest’s any more').toBe(1);
    drafts(null).save({ ...content, values: { ...EMPTY, title: 'Older' } });
    clock.now_ms += 1;
    drafts('u1').save({ ...content, values: { ...EMPTY, title: 'Newer' } });
    expect(drafts('u1').load()?.values.title).toBe('Newer');
    expect(drafts(null).load()).toBeNull();
  });

  test('each ad that is changed has one of its own, with the revision it was based on', () => {
    const { drafts } = browser();
    drafts('u1', 'ad-1').save(content, '"3"');
    expect(drafts('u1', 'ad-1').load()?.revision).toBe('"3"');
    expect(drafts('u1', 'ad-2').load()).toBeNull();
    expect(drafts('u1').load()).toBeNull();
  });

  test('logging out deletes the user’s and the guest’s, and nothing else', () => {
    const { drafts, kept, storage } = browser();
    drafts('u1').save(content);
    drafts('u1', 'ad-1').save(content);
    drafts(null).save(content);
    drafts('u2').save(content);
    kept.set('age_ok', 'true');
    clearDrafts(storage, 'u1');
    expect([...kept.keys()]).toEqual(['alpenglow.draft.u2.new', 'age_ok']);
  });
});

describe('how long it is kept', () => {
  test('seven days from the last change; then anybody’s is deleted when a form is opened', () => {
    const { drafts, clock, kept } = browser();
    drafts('u1').save(content);
    clock.now_ms += DRAFT_LIFETIME_ms - 1;
    expect(drafts('u1').load()).not.toBeNull();
    clock.now_ms += 1;
    expect(drafts('u2').load()).toBeNull();
    expect([...kept.keys()]).toEqual([]);
  });

  test('uploads no longer than the server keeps them, counted from the first', () => {
    const { drafts, clock } = browser();
    const store = drafts('u1');
    store.save(content);
    clock.now_ms += DRAFT_MEDIA_LIFETIME_ms - HOUR_ms;
    store.save({ ...content, photos: [...content.photos, '/uploads/photos/b/1600.jpg'] });
    expect(store.load()?.hasLostMedia).toBe(false);
    clock.now_ms += HOUR_ms;
    expect(store.load()?.hasLostMedia).toBe(true);
    store.save({ ...content, photos: ['/uploads/photos/c/1600.jpg'] });
    expect(store.load()?.hasLostMedia, 'these are new').toBe(false);
  });
});

describe('what breaks nothing', () => {
  test('a draft that is damaged, or another version’s', () => {
    const { drafts, kept } = browser();
    const at = 'alpenglow.draft.u1.new';
    kept.set(
      at,
      JSON.stringify({
        values: { title: 'T', phone: 7, socialMedia: { website: 'https://x.ch', myspace: 'me' }, shoe: '42' },
        photos: ['/a', 3],
        savedAt_ms: 1_000_000,
      }),
    );
    expect(drafts('u1').load()).toMatchObject({
      values: { ...EMPTY, title: 'T', socialMedia: { ...EMPTY.socialMedia, website: 'https://x.ch' } },
      photos: ['/a'],
      video: null,
    });
    for (const broken of ['{]', 'null', '[]', '"text"', '{"values":{}}', '{"values":null,"savedAt_ms":1000000}']) {
      kept.set(at, broken);
      expect(drafts('u1').load(), broken).toBeNull();
      expect(kept.has(at), `${broken} is deleted`).toBe(false);
    }
  });

  test('storage that is full or refused: told, so that the browser asks before the page is left', () => {
    const refuse = () => {
      throw new Error('QuotaExceededError');
    };
    const { storage } = browser();
    expect(createDraftStore({ storage: { ...storage, setItem: refuse }, viewer: 'u1', adId: null }).save(content)).toBe(
      false,
    );
  });
});
