import { describe, expect, it } from 'vitest';
import { getScrollTarget } from '../src/frame/scroll/scroll-target.ts';
import { createScrollPositions, POSITIONS_MAX } from '../src/frame/scroll/scroll-positions.ts';
import { createMemoryStorage } from '../../tests/support/memory-storage.ts';

const home = { pathname: '/', search: '', hash: '' };
const listings = { pathname: '/listings', search: '', hash: '' };
const about = { pathname: '/about', search: '', hash: '#help' };

describe('after a navigation, the page', () => {
  it('is at its top if it is a new one', () => {
    expect(getScrollTarget({ ...listings, type: 'PUSH' }, home, null)).toEqual({ top: 0 });
    expect(getScrollTarget({ ...listings, type: 'REPLACE' }, home, 300)).toEqual({ top: 0 });
    expect(getScrollTarget({ ...home, type: 'POP' }, null, null)).toEqual({ top: 0 });
  });

  it('is at its last scroll position after Back, Forward and a reload', () => {
    expect(getScrollTarget({ ...home, type: 'POP' }, listings, 1_200)).toEqual({ top: 1_200 });
    expect(getScrollTarget({ ...home, type: 'POP' }, null, 1_200)).toEqual({ top: 1_200 });
    expect(getScrollTarget({ ...about, type: 'POP' }, listings, 80)).toEqual({ top: 80 });
  });

  it('is at the element that the fragment names', () => {
    expect(getScrollTarget({ ...about, type: 'PUSH' }, home, null)).toEqual({ id: 'help' });
    expect(getScrollTarget({ ...about, type: 'PUSH' }, about, null)).toEqual({ id: 'help' });
    expect(getScrollTarget({ ...about, type: 'POP' }, null, null)).toEqual({ id: 'help' });
    expect(getScrollTarget({ ...about, hash: '#%C3%A4', type: 'PUSH' }, home, null)).toEqual({ id: 'ä' });
    expect(getScrollTarget({ ...about, hash: '#%', type: 'PUSH' }, home, null)).toEqual({ id: '%' });
  });

  it('keeps its scroll position if only filters have changed', () => {
    expect(getScrollTarget({ ...listings, search: '?state=NV', type: 'PUSH' }, listings, null)).toBeNull();
    expect(getScrollTarget({ ...listings, type: 'REPLACE' }, { ...listings, search: '?state=NV' }, null)).toBeNull();
    expect(getScrollTarget({ ...listings, type: 'REPLACE' }, listings, null)).toBeNull();
  });
});

describe('stored scroll positions', () => {
  it('survive a reload after they were written', () => {
    const storage = createMemoryStorage();
    const places = createScrollPositions(storage);
    places.set('a', 120.4);
    expect(createScrollPositions(storage).get('a')).toBeNull();
    places.save();
    expect(createScrollPositions(storage).get('a')).toBe(120);
  });

  it('are limited to the latest entries', () => {
    const places = createScrollPositions(null);
    for (let entry = 0; entry <= POSITIONS_MAX; entry++) {
      places.set(String(entry), entry);
      places.set('first', 7);
    }
    expect([places.get('0'), places.get('1'), places.get('2'), places.get('first')]).toEqual([null, null, 2, 7]);
  });

  it.each(['', '{', '{}', '[["a","b"],7]'])('are ignored if the storage contains %j', (stored) => {
    expect(createScrollPositions(createMemoryStorage({ 'alpenglow.scroll': stored })).get('a')).toBeNull();
  });
});
