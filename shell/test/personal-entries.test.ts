import { browserStorage, storeUnsentFavorites, takeUnsentFavorites, tabStorage } from '@alpenglow/ui';
import { describe, expect, test } from 'vitest';
import {
  deleteAllEntries,
  deleteEntriesWithoutSession,
  deletePersonalEntries,
  collectUnconfirmedFavorites,
} from '../src/session/personal-entries.ts';
import { createMemoryStorage } from '../../tests/support/memory-storage.ts';

/** Entries of the browser's storage after a logout. */

const anna = { id: 'u1', email: 'Anna@example.com', isProvider: false };

/** Entries that say nothing about a user. */
const OF_THE_BROWSER = {
  age_ok: 'true',
  guidelines_accepted: 'true',
  cookie_consent: '{}',
  consent_texts: '{}',
  consent_visitor: '5f0c1b9e-2f7c-4f1a-9a53-1f8d0f0c7e21',
  theme: 'dark',
  'alpenglow.files-to-clear': 'yes',
  'favorites-unsent:ab12': '["x"]',
};

/** Entries of a guest, who may be another person. */
const OF_A_GUEST = { 'favorites:guest': '["g"]', 'favorites-cards:guest': '{"g":null}' };

const OF_ANNA = {
  vpsAuthToken: 't1',
  user: '{"email":"anna@example.com"}',
  'favorites:anna@example.com': '["b","a"]',
  'favorites-known:anna@example.com': '["a"]',
  ads_cache: '{}',
  'alpenglow.moderation': '{"reasons":["The ad names Bert."]}',
  // Only a newer version of a remote writes this entry.
  'searches:u1': '["secret"]',
};

const DRAFTS = { 'alpenglow.draft.u1.new': '{}', 'alpenglow.draft.guest.new': '{}', 'alpenglow.draft.u2.new': '{}' };

describe('the entries of a browser', () => {
  test('are deleted by a logout, except those that say nothing about the user', () => {
    const storage = createMemoryStorage({ ...OF_ANNA, ...DRAFTS, ...OF_THE_BROWSER, ...OF_A_GUEST });
    deleteAllEntries(storage, anna);
    expect(Object.fromEntries(storage.items)).toEqual({
      ...OF_THE_BROWSER,
      ...OF_A_GUEST,
      'alpenglow.draft.u2.new': '{}',
    });
  });

  test('stay if they are drafts and the session ends without a logout', () => {
    const storage = createMemoryStorage({ ...OF_ANNA, ...DRAFTS, ...OF_THE_BROWSER });
    deletePersonalEntries(storage);
    expect(Object.fromEntries(storage.items)).toEqual({ ...OF_THE_BROWSER, ...DRAFTS });
  });

  test('that name a user are deleted at the next visit if there is no session', () => {
    const { vpsAuthToken, ...left } = OF_ANNA;
    const storage = createMemoryStorage({ ...left, ...OF_THE_BROWSER, ...OF_A_GUEST });
    deleteEntriesWithoutSession(storage);
    expect(Object.fromEntries(storage.items)).toEqual({
      ...OF_THE_BROWSER,
      ...OF_A_GUEST,
      ads_cache: '{}',
      'alpenglow.moderation': OF_ANNA['alpenglow.moderation'],
      'searches:u1': '["secret"]',
    });
    const inSession = createMemoryStorage({ ...left, vpsAuthToken });
    deleteEntriesWithoutSession(inSession);
    expect(Object.fromEntries(inSession.items)).toEqual(OF_ANNA);
  });
});

describe('favorites that only this browser has', () => {
  test('are those that the server has not confirmed, and those of an earlier guest, oldest first', () => {
    const storage = createMemoryStorage({ ...OF_ANNA, ...OF_A_GUEST });
    expect(collectUnconfirmedFavorites(storage, anna)).toEqual(['g', 'b']);
    expect([...storage.items.keys()]).toEqual(Object.keys(OF_ANNA));
  });

  test('are none of a provider, whose browser may have those of a guest', () => {
    const storage = createMemoryStorage(OF_A_GUEST);
    expect(collectUnconfirmedFavorites(storage, { ...anna, isProvider: true })).toEqual([]);
    expect(Object.fromEntries(storage.items)).toEqual(OF_A_GUEST);
  });

  test('are stored without the name of the user, and only for this user', async () => {
    const storage = createMemoryStorage({});
    await storeUnsentFavorites(storage, 'u1', ['a', 'b']);
    const [key = ''] = storage.items.keys();
    expect(key).toMatch(/^favorites-unsent:[0-9a-f]{64}$/u);
    expect(await takeUnsentFavorites(storage, 'u2')).toEqual([]);
    expect(await takeUnsentFavorites(storage, 'u1')).toEqual(['a', 'b']);
    expect(storage.items.size).toBe(0);
    await storeUnsentFavorites(storage, 'u1', ['a']);
    await storeUnsentFavorites(storage, 'u1', []);
    expect(storage.items.size).toBe(0);
  });
});

describe('a key that is not in the list', () => {
  test.each([
    ['local', browserStorage, 'favorites:anna@example.com', 'shown-ads'],
    ['session', tabStorage, 'shown-ads', 'favorites:anna@example.com'],
  ] as const)('cannot be written to the %s storage', (_, open, declared, undeclared) => {
    const stored = createMemoryStorage({});
    const storage = open(() => stored);
    storage.setItem(declared, 'x');
    expect(() => storage.setItem(undeclared, 'x')).toThrow(undeclared);
    expect(() => storage.setItem('recent-searches', 'x')).toThrow('recent-searches');
    expect([...stored.items.keys()]).toEqual([declared]);
    expect([storage.length, storage.key(0), storage.getItem(declared)]).toEqual([1, declared, 'x']);
    storage.removeItem(declared);
    expect(storage.length).toBe(0);
  });
});
