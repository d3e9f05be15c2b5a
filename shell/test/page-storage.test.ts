import { browserStorage, remembering } from '@alpenglow/ui';
import { expect, it } from 'vitest';
import { confirmAge, readConsent } from '../src/gates/consent.ts';
import { MemoryStorage } from './memory-storage.ts';

const full = (kept: Readonly<Record<string, string>> = {}) =>
  Object.assign(new MemoryStorage(kept), {
    setItem() {
      throw new DOMException('full', 'QuotaExceededError');
    },
  });

it('what a storage keeps is kept there', () => {
  const storage = new MemoryStorage();
  const store = remembering(storage);
  store.setItem('theme', 'dark');
  expect(storage.getItem('theme')).toBe('dark');
  store.removeItem('theme');
  expect([store.getItem('theme'), storage.getItem('theme')]).toEqual([null, null]);
});

it('what a full storage refuses counts while the page stands, and so does its removal', () => {
  const store = remembering(full({ theme: 'light' }));
  store.setItem('theme', 'dark');
  expect(store.getItem('theme')).toBe('dark');
  store.removeItem('theme');
  expect(store.getItem('theme')).toBeNull();
});

it.each([
  [
    'throws at every look',
    () => {
      throw new DOMException('denied', 'SecurityError');
    },
  ],
  ['is not there', () => null],
])('a visitor whose storage %s passes the gates', (_, find) => {
  const store = remembering(browserStorage(find));
  expect(readConsent(store).ageConfirmed).toBe(false);
  confirmAge(store, new Date('2026-11-21T12:00:00.000Z'));
  expect(readConsent(store).ageConfirmed).toBe(true);
});

it('refused storage is empty, and says so of what is written', () => {
  const storage = browserStorage(() => null);
  expect([storage.length, storage.key(0), storage.getItem('theme')]).toEqual([0, null, null]);
  expect(() => storage.setItem('theme', 'dark')).toThrow();
  expect(() => storage.removeItem('theme')).not.toThrow();
});
