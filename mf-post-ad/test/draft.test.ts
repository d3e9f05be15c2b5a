import { describe, expect, test } from 'vitest';
import { browserStorage, clearDrafts, DRAFT_LIFETIME_ms } from '@alpenglow/ui';
import { createDraftStore, DRAFT_MEDIA_LIFETIME_ms } from '../src/form/draft.ts';
import { EMPTY_VALUES } from '../src/form/form-values.ts';
import { createMemoryStorage } from '../../tests/support/memory-storage.ts';

const HOUR_ms = 60 * 60_000;
const content = {
  values: { ...EMPTY_VALUES, title: 'An evening', phone: '+1 702 555 0134' },
  photos: ['/uploads/photos/a/1600.jpg'],
  video: null,
};

/** Creates the storage of one browser, and a clock. */
function browser() {
  const clock = { now_ms: 1_000_000 };
  const storage = createMemoryStorage();
  const drafts = (viewer: string | null, adId: string | null = null) =>
    createDraftStore({ storage, viewer, adId, now_ms: () => clock.now_ms });
  return { items: storage.items, clock, storage, drafts };
}

test('a draft is available after a reload, but not after posting', () => {
  const { drafts } = browser();
  expect(drafts('u1').save(content)).toBe(true);
  expect(drafts('u1').load()).toEqual({ ...content, savedAt_ms: 1_000_000, revision: null, hasLostMedia: false });
  drafts('u1').clear();
  expect(drafts('u1').load()).toBeNull();
});

test('denied storage causes no error', () => {
  const drafts = createDraftStore({ storage: browserStorage(() => null), viewer: 'u1', adId: null });
  expect(drafts.load()).toBeNull();
  expect(drafts.save(content)).toBe(false);
  expect(() => drafts.clear()).not.toThrow();
});

describe('the owner of a draft', () => {
  test('is a single user; other users and guests do not get the draft', () => {
    const { drafts } = browser();
    drafts('u1').save(content);
    expect(drafts('u2').load()).toBeNull();
    expect(drafts(null).load()).toBeNull();
  });

  test('is the next signed-in user for a guest’s draft, unless the user has a newer one', () => {
    const { drafts, clock, items } = browser();
    drafts(null).save(content);
    expect(drafts('u1').load()?.values.title).toBe('An evening');
    expect(items.size, 'the guest’s draft is deleted').toBe(1);
    drafts(null).save({ ...content, values: { ...EMPTY_VALUES, title: 'Older' } });
    clock.now_ms += 1;
    drafts('u1').save({ ...content, values: { ...EMPTY_VALUES, title: 'Newer' } });
    expect(drafts('u1').load()?.values.title).toBe('Newer');
    expect(drafts(null).load()).toBeNull();
  });

  test('has one draft per edited ad, with the revision it is based on', () => {
    const { drafts } = browser();
    drafts('u1', 'ad-1').save(content, '"3"');
    expect(drafts('u1', 'ad-1').load()?.revision).toBe('"3"');
    expect(drafts('u1', 'ad-2').load()).toBeNull();
    expect(drafts('u1').load()).toBeNull();
  });

  test('loses the drafts by logging out, together with the guest’s draft, but nothing else', () => {
    const { drafts, items, storage } = browser();
    drafts('u1').save(content);
    drafts('u1', 'ad-1').save(content);
    drafts(null).save(content);
    drafts('u2').save(content);
    items.set('age_ok', 'true');
    clearDrafts(storage, 'u1');
    expect([...items.keys()]).toEqual(['alpenglow.draft.u2.new', 'age_ok']);
  });
});

describe('the lifetime of a draft', () => {
  test('is seven days since the last change; expired drafts of all users are deleted when a form is opened', () => {
    const { drafts, clock, items } = browser();
    drafts('u1').save(content);
    clock.now_ms += DRAFT_LIFETIME_ms - 1;
    expect(drafts('u1').load()).not.toBeNull();
    clock.now_ms += 1;
    expect(drafts('u2').load()).toBeNull();
    expect([...items.keys()]).toEqual([]);
  });

  test('is shorter for uploads, counted from the first upload', () => {
    const { drafts, clock } = browser();
    const store = drafts('u1');
    store.save(content);
    clock.now_ms += DRAFT_MEDIA_LIFETIME_ms - HOUR_ms;
    store.save({ ...content, photos: [...content.photos, '/uploads/photos/b/1600.jpg'] });
    expect(store.load()?.hasLostMedia).toBe(false);
    clock.now_ms += HOUR_ms;
    expect(store.load()?.hasLostMedia).toBe(true);
    store.save({ ...content, photos: ['/uploads/photos/c/1600.jpg'] });
    expect(store.load()?.hasLostMedia, 'these uploads are new').toBe(false);
  });
});

describe('invalid drafts and storage', () => {
  test('an invalid draft, or one of another version, is read as far as possible', () => {
    const { drafts, items } = browser();
    const draftKey = 'alpenglow.draft.u1.new';
    items.set(
      draftKey,
      JSON.stringify({
        values: { title: 'T', phone: 7, socialMedia: { website: 'https://x.ch', myspace: 'me' }, shoe: '42' },
        photos: ['/a', 3],
        savedAt_ms: 1_000_000,
      }),
    );
    expect(drafts('u1').load()).toMatchObject({
      values: { ...EMPTY_VALUES, title: 'T', socialMedia: { ...EMPTY_VALUES.socialMedia, website: 'https://x.ch' } },
      photos: ['/a'],
      video: null,
    });
    for (const broken of ['{]', 'null', '[]', '"text"', '{"values":{}}', '{"values":null,"savedAt_ms":1000000}']) {
      items.set(draftKey, broken);
      expect(drafts('u1').load(), broken).toBeNull();
      expect(items.has(draftKey), `${broken} is deleted`).toBe(false);
    }
  });

  test('full storage is reported, so that the browser asks before the page is left', () => {
    const failToStore = () => {
      throw new Error('QuotaExceededError');
    };
    const { storage } = browser();
    expect(
      createDraftStore({ storage: { ...storage, setItem: failToStore }, viewer: 'u1', adId: null }).save(content),
    ).toBe(false);
  });
});
