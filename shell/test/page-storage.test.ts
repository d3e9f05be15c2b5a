import { browserStorage, remembering } from '@alpenglow/ui';
import { expect, it } from 'vitest';
import { confirmAge, readConsent } from '../src/gates/consent.ts';
import { createMemoryStorage } from '../../tests/support/memory-storage.ts';

const full = (items: Readonly<Record<string, string>> = {}) =>
  Object.assign(createMemoryStorage(items), {
    setItem() {
      throw new DOMException('full', 'QuotaExceededError');
    },
  });

it('values are stored in the storage', () => {
  const storage = createMemoryStorage();
  const store = remembering(storage);
  store.setItem('theme', 'dark');
  expect(storage.getItem('theme')).toBe('dark');
  store.removeItem('theme');
  expect([store.getItem('theme'), storage.getItem('theme')]).toEqual([null, null]);
});

it('values that a full storage rejects last until the page is unloaded, and so does their removal', () => {
  const store = remembering(full({ theme: 'light' }));
  store.setItem('theme', 'dark');
  expect(store.getItem('theme')).toBe('dark');
  store.removeItem('theme');
  expect(store.getItem('theme')).toBeNull();
});

it.each([
  [
    'throws on every access',
    () => {
      throw new DOMException('denied', 'SecurityError');
    },
  ],
  ['does not exist', () => null],
])('a visitor whose storage %s can pass the gates', (_, getStorage) => {
  const store = remembering(browserStorage(getStorage));
  expect(readConsent(store).ageConfirmed).toBe(false);
  confirmAge(store, new Date('2026-11-21T12:00:00.000Z'));
  expect(readConsent(store).ageConfirmed).toBe(true);
});

it('denied storage is empty, and throws on writing', () => {
  const storage = browserStorage(() => null);
  expect([storage.length, storage.key(0), storage.getItem('theme')]).toEqual([0, null, null]);
  expect(() => storage.setItem('theme', 'dark')).toThrow();
  expect(() => storage.removeItem('theme')).not.toThrow();
});
