import { describe, expect, it } from 'vitest';
import { scrollGoal } from '../src/frame/scroll/scroll-goal.ts';
import { createScrollPlaces, PLACES_MAX } from '../src/frame/scroll/scroll-places.ts';
import { MemoryStorage } from './memory-storage.ts';

const home = { pathname: '/', search: '', hash: '' };
const listings = { pathname: '/listings', search: '', hash: '' };
const about = { pathname: '/about', search: '', hash: '#help' };

describe('after a navigation, the page', () => {
  it('is at its top where it is a new one', () => {
    expect(scrollGoal({ ...listings, type: 'PUSH' }, home, null)).toEqual({ top: 0 });
    expect(scrollGoal({ ...listings, type: 'REPLACE' }, home, 300)).toEqual({ top: 0 });
    expect(scrollGoal({ ...home, type: 'POP' }, null, null)).toEqual({ top: 0 });
  });

  it('is where it was left, by Back, Forward and a reload', () => {
    expect(scrollGoal({ ...home, type: 'POP' }, listings, 1_200)).toEqual({ top: 1_200 });
    expect(scrollGoal({ ...home, type: 'POP' }, null, 1_200)).toEqual({ top: 1_200 });
    expect(scrollGoal({ ...about, type: 'POP' }, listings, 80)).toEqual({ top: 80 });
  });

  it('is at the place its address names', () => {
    expect(scrollGoal({ ...about, type: 'PUSH' }, home, null)).toEqual({ id: 'help' });
    expect(scrollGoal({ ...about, type: 'PUSH' }, about, null)).toEqual({ id: 'help' });
    expect(scrollGoal({ ...about, type: 'POP' }, null, null)).toEqual({ id: 'help' });
    expect(scrollGoal({ ...about, hash: '#%C3%A4', type: 'PUSH' }, home, null)).toEqual({ id: 'ä' });
    expect(scrollGoal({ ...about, hash: '#%', type: 'PUSH' }, home, null)).toEqual({ id: '%' });
  });

  it('stays where it is when only filters have changed', () => {
    expect(scrollGoal({ ...listings, search: '?state=NV', type: 'PUSH' }, listings, null)).toBeNull();
    expect(scrollGoal({ ...listings, type: 'REPLACE' }, { ...listings, search: '?state=NV' }, null)).toBeNull();
    expect(scrollGoal({ ...listings, type: 'REPLACE' }, listings, null)).toBeNull();
  });
});

describe('places', () => {
  it('survive a reload once they are kept', () => {
    const storage = new MemoryStorage();
    const places = createScrollPlaces(storage);
    places.set('a', 120.4);
    expect(createScrollPlaces(storage).get('a')).toBeNull();
    places.keep();
    expect(createScrollPlaces(storage).get('a')).toBe(120);
  });

  it('are as many as are needed, the latest', () => {
    const places = createScrollPlaces(null);
    for (let entry = 0; entry <= PLACES_MAX; entry++) {
      places.set(String(entry), entry);
      places.set('first', 7);
    }
    expect([places.get('0'), places.get('1'), places.get('2'), places.get('first')]).toEqual([null, null, 2, 7]);
  });

  it.each(['', '{', '{}', '[["a","b"],7]'])('that read %j are none', (stored) => {
    expect(createScrollPlaces(new MemoryStorage({ 'alpenglow.scroll': stored })).get('a')).toBeNull();
  });
});
