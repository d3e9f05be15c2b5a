import { describe, expect, test } from 'vitest';
import type { FavoritesAnswer } from '@alpenglow/domain/contracts';
import { ApiError } from '@alpenglow/ui';
import { bucketOf, createFavorites, knownBucketOf } from '../src/favorites/favorites.ts';
import { keepInStep } from '../src/favorites/keep-in-step.ts';
import { cardOnly, createKeptCards } from '../src/favorites/kept-cards.ts';
import { favoritesToAdd, mergedFavorites } from '../src/favorites/merge.ts';
import { syncFavorites } from '../src/favorites/sync.ts';
import { adCard } from './ad-card.ts';

function memory(entries: Record<string, string> = {}) {
  const kept = new Map(Object.entries(entries));
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}

const listOf = (ids: readonly string[]) => {
  const list = createFavorites(memory(), 'any');
  list.replace(ids);
  return list;
};

const refusal = (status: number, code: string) => new ApiError(code, { status, code });

describe('favorites in the browser', () => {
  test('a bucket per e-mail, lower-cased; one for guests', () => {
    expect(bucketOf(' Anna@Example.COM ')).toBe('favorites:anna@example.com');
    expect(bucketOf(null)).toBe('favorites:guest');
    expect(knownBucketOf('Anna@Example.com')).toBe('favorites-known:anna@example.com');
  });

  test('kept newest first, taken away by the same press', () => {
    const storage = memory();
    const favorites = createFavorites(storage, bucketOf(null));
    favorites.toggle('a');
    favorites.toggle('b');
    expect(favorites.all()).toEqual(['b', 'a']);
    favorites.toggle('b');
    expect(favorites.all()).toEqual(['a']);
    expect(createFavorites(storage, bucketOf(null)).all(), 'kept for the next visit').toEqual(['a']);
    expect(createFavorites(storage, bucketOf('a@b.ch')).all(), 'and for nobody else').toEqual([]);
  });

  test('added twice is kept once, and keeps its place', () => {
    const favorites = listOf(['b', 'a']);
    favorites.add('a');
    expect(favorites.all()).toEqual(['b', 'a']);
    favorites.remove('z');
    expect(favorites.all()).toEqual(['b', 'a']);
  });

  test('listeners hear of a change; an unchanged list is the same list', () => {
    const favorites = createFavorites(memory(), bucketOf(null));
    let heard = 0;
    const stop = favorites.subscribe(() => (heard += 1));
    favorites.toggle('a');
    expect(heard).toBe(1);
    expect(favorites.all()).toBe(favorites.all());
    favorites.replace(['a']);
    expect(heard, 'nothing has changed').toBe(1);
    stop();
    favorites.toggle('b');
    expect(heard).toBe(1);
  });

  test.each(['not json', '{"a":1}', '[1,null,"a"]'])(
    'damaged storage (%s) counts as what can be read of it',
    (text) => {
      expect(createFavorites(memory({ 'favorites:guest': text }), bucketOf(null)).all()).toEqual(
        text.startsWith('[') ? ['a'] : [],
      );
    },
  );
});

describe('what the server is told at a merge', () => {
  const none = { server: [], known: [], local: [], guest: [] };

  test('the first time everything this browser has, of client and guest, each once, the oldest first', () => {
    expect(favoritesToAdd({ ...none, server: ['s', 'b'], local: ['c', 'b', 'a'], guest: ['g', 'a'] })).toEqual([
      'g',
      'a',
      'c',
    ]);
  });

  test('what was taken off elsewhere since is not brought back', () => {
    expect(favoritesToAdd({ ...none, server: [], known: ['a'], local: ['b', 'a'] })).toEqual(['b']);
  });

  test('nothing where both agree', () => {
    expect(favoritesToAdd({ server: ['a', 'b'], known: ['a', 'b'], local: ['a', 'b'], guest: ['b'] })).toEqual([]);
  });
});

describe("the browser's list after a merge", () => {
  test("the server's, also where it differs", () => {
    expect(mergedFavorites({ server: ['b', 'new'], before: ['a', 'b'], now: ['a', 'b'], added: [], gone: [] })).toEqual(
      ['b', 'new'],
    );
  });

  test('hearts pressed while it ran stay as they were pressed', () => {
    expect(mergedFavorites({ server: ['a', 'b'], before: ['a', 'b'], now: ['c', 'b'], added: [], gone: [] })).toEqual([
      'c',
      'b',
    ]);
  });

  test('what could not be told yet stays in front, what is gone does not', () => {
    expect(
      mergedFavorites({ server: ['s'], before: ['x', 'y'], now: ['x', 'y'], added: ['y', 'x'], gone: ['y'] }),
    ).toEqual(['x', 's']);
  });
});

/** A server with these favorites; `refuse` says what it has against one. */
function server(initial: readonly string[], refuse: (adId: string) => Error | null = () => null) {
  let adIds = [...initial];
  const told: string[] = [];
  return {
    told,
    favorites: async (): Promise<FavoritesAnswer> => ({
      success: true,
      adIds: [...adIds],
      data: adIds.map((id) => adCard(id)),
    }),
    addFavorite: async (adId: string) => {
      told.push(`+${adId}`);
      const error = refuse(adId);
      if (error) throw error;
      adIds = [adId, ...adIds.filter((id) => id !== adId)];
      return { success: true, message: '', data: { id: adId, adId } } as const;
    },
    removeFavorite: async (adId: string) => {
      told.push(`-${adId}`);
      const error = refuse(adId);
      if (error) throw error;
      adIds = adIds.filter((id) => id !== adId);
      return { success: true, message: '', data: { id: adId, adId } } as const;
    },
  };
}

describe('merging a client with the server', () => {
  test('both lists become one, and the guest starts anew', async () => {
    const api = server(['s']);
    const stores = { local: listOf(['c']), known: listOf([]), guest: listOf(['g2', 'g1']) };
    const { answer, stoppedBy } = await syncFavorites(api, 'u', stores);
    expect(stoppedBy).toBeNull();
    expect(api.told).toEqual(['+g1', '+g2', '+c']);
    expect(answer.adIds).toEqual(['c', 'g2', 'g1', 's']);
    expect(stores.local.all()).toEqual(['c', 'g2', 'g1', 's']);
    expect(stores.known.all()).toEqual(['c', 'g2', 'g1', 's']);
    expect(stores.guest.all()).toEqual([]);
  });

  test('the second time there is nothing to tell', async () => {
    const api = server(['a']);
    await syncFavorites(api, 'u', { local: listOf(['a']), known: listOf(['a']), guest: listOf([]) });
    expect(api.told).toEqual([]);
  });

  test('an ad that is gone is forgotten, the rest goes on', async () => {
    const api = server([], (id) => (id === 'old' ? refusal(404, 'AD_NOT_FOUND') : null));
    const stores = { local: listOf([]), known: listOf([]), guest: listOf(['new', 'old']) };
    const { stoppedBy } = await syncFavorites(api, 'u', stores);
    expect(stoppedBy).toBeNull();
    expect(stores.local.all()).toEqual(['new']);
  });

  test('a refusal stops it; what is left stays in the browser and is tried the next time', async () => {
    let isFull = true;
    const api = server(['s'], (id) => (isFull && id === 'b' ? refusal(409, 'TOO_MANY_FAVORITES') : null));
    const stores = { local: listOf([]), known: listOf([]), guest: listOf(['c', 'b', 'a']) };
    const { stoppedBy } = await syncFavorites(api, 'u', stores);
    expect(stoppedBy).toMatchObject({ code: 'TOO_MANY_FAVORITES' });
    expect(stores.local.all()).toEqual(['c', 'b', 'a', 's']);
    expect(stores.known.all()).toEqual(['a', 's']);
    isFull = false;
    await syncFavorites(api, 'u', stores);
    expect(stores.local.all()).toEqual(['c', 'b', 'a', 's']);
    expect(stores.known.all()).toEqual(['c', 'b', 'a', 's']);
  });
});

describe('the heart and the server', () => {
  test('a press is told, and undone when it is refused', async () => {
    const [local, known] = [listOf([]), listOf([])];
    const refused: boolean[] = [];
    const step = {
      adId: 'a',
      local,
      known,
      onRefused: (_: unknown, wasAdding: boolean) => void refused.push(wasAdding),
    };
    local.add('a');
    await keepInStep({ ...step, api: server([], () => refusal(403, 'ONLY_CLIENTS_FAVORITE')) });
    expect([local.all(), known.all(), refused]).toEqual([[], [], [true]]);
    local.add('a');
    await keepInStep({ ...step, api: server([]) });
    expect([local.all(), known.all()]).toEqual([['a'], ['a']]);
    local.remove('a');
    await keepInStep({ ...step, api: server(['a'], () => refusal(500, 'INTERNAL')) });
    expect([local.all(), refused]).toEqual([['a'], [true, false]]);
  });

  test('presses while a call is under way are told once, as they ended', async () => {
    const [local, known, api] = [listOf([]), listOf([]), server([])];
    const step = { api, adId: 'a', local, known, onRefused: () => undefined };
    local.add('a');
    const first = keepInStep(step);
    local.remove('a');
    const second = keepInStep(step);
    local.add('a');
    const third = keepInStep(step);
    await Promise.all([first, second, third]);
    expect(api.told).toEqual(['+a']);
    expect([local.all(), known.all()]).toEqual([['a'], ['a']]);
  });

  test('added and taken off again while the first call runs: both are told', async () => {
    const [local, known, api] = [listOf([]), listOf([]), server([])];
    const step = { api, adId: 'a', local, known, onRefused: () => undefined };
    local.add('a');
    const first = keepInStep(step);
    local.remove('a');
    await Promise.all([first, keepInStep(step)]);
    expect(api.told).toEqual(['+a', '-a']);
    expect(known.all()).toEqual([]);
  });
});

describe("cards of a guest's favorites", () => {
  test('what is not for lists is never stored', () => {
    const storage = memory();
    const full = {
      ...adCard('a'),
      phone: '+1 702 555 0134',
      description: 'words',
      email: 'anna@example.com',
      socialMedia: { instagram: '@anna' },
    };
    createKeptCards(storage, 'cards').keep(full);
    expect(storage.kept.get('cards')).not.toMatch(/702|words|anna@|instagram/u);
    expect(cardOnly(full)).toEqual(adCard('a', { isOnline: false }));
  });

  test('kept, marked as gone, forgotten', () => {
    const cards = createKeptCards(memory(), 'cards');
    cards.keep(adCard('a'));
    cards.keep(adCard('b'));
    cards.markGone('b');
    expect(cards.all()).toEqual({ a: adCard('a', { isOnline: false }), b: null });
    expect(cards.all(), 'an unchanged record is the same one').toBe(cards.all());
    cards.retain(['b']);
    expect(cards.all()).toEqual({ b: null });
  });

  test.each(['no json', '[]', '{"a":{"title":1}}', '{"a":"x"}'])('damaged storage (%s) counts as empty', (text) => {
    expect(createKeptCards(memory({ cards: text }), 'cards').all()).toEqual({});
  });

  test('storage that is full costs the card alone', () => {
    const full = {
      getItem: () => null,
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError');
      },
    };
    expect(() => createKeptCards(full, 'cards').keep(adCard('a'))).not.toThrow();
  });
});
