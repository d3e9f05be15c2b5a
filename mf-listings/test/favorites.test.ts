import { describe, expect, test } from 'vitest';
import type { ResponseOf } from '@alpenglow/domain/contracts';
import { ApiError, getFavoritesKey, getLastServerFavoritesKey } from '@alpenglow/ui';
import { createFavorites } from '../src/favorites/favorites.ts';
import { startChange } from '../src/favorites/changes.ts';
import { syncFavorite, type FavoriteChange } from '../src/favorites/sync-favorite.ts';
import { toStoredCard, createStoredCards } from '../src/favorites/stored-cards.ts';
import { getFavoritesToAdd, mergeFavorites } from '../src/favorites/merge.ts';
import { syncFavorites, type SyncStores } from '../src/favorites/sync.ts';
import { createAdCard } from './ad-card.ts';
import { createMemoryStorage } from '../../tests/support/memory-storage.ts';

const listOf = (ids: readonly string[]) => {
  const list = createFavorites(createMemoryStorage(), 'any');
  list.replace(ids);
  return list;
};

const apiError = (status: number, code: string) => new ApiError(code, { status, code });

describe('favorites in the browser', () => {
  test('use one storage key per e-mail in lower case, and one for guests', () => {
    expect(getFavoritesKey(' Anna@Example.COM ')).toBe('favorites:anna@example.com');
    expect(getFavoritesKey(null)).toBe('favorites:guest');
    expect(getLastServerFavoritesKey('Anna@Example.com')).toBe('favorites-known:anna@example.com');
  });

  test('are stored newest first, and removed by a second toggle', () => {
    const storage = createMemoryStorage();
    const favorites = createFavorites(storage, getFavoritesKey(null));
    favorites.toggle('a');
    favorites.toggle('b');
    expect(favorites.all()).toEqual(['b', 'a']);
    favorites.toggle('b');
    expect(favorites.all()).toEqual(['a']);
    expect(createFavorites(storage, getFavoritesKey(null)).all(), 'available in the next visit').toEqual(['a']);
    expect(createFavorites(storage, getFavoritesKey('a@b.ch')).all(), 'not available to other users').toEqual([]);
  });

  test('contain an ad only once; adding it again keeps its position', () => {
    const favorites = listOf(['b', 'a']);
    favorites.add('a');
    expect(favorites.all()).toEqual(['b', 'a']);
    favorites.remove('z');
    expect(favorites.all()).toEqual(['b', 'a']);
  });

  test('notify subscribers of changes; an unchanged list is the same object', () => {
    const favorites = createFavorites(createMemoryStorage(), getFavoritesKey(null));
    let notifications = 0;
    const stop = favorites.subscribe(() => (notifications += 1));
    favorites.toggle('a');
    expect(notifications).toBe(1);
    expect(favorites.all()).toBe(favorites.all());
    favorites.replace(['a']);
    expect(notifications, 'the list has not changed').toBe(1);
    stop();
    favorites.toggle('b');
    expect(notifications).toBe(1);
  });

  test.each(['not json', '{"a":1}', '[1,null,"a"]'])('ignore invalid parts of the storage (%s)', (text) => {
    expect(createFavorites(createMemoryStorage({ 'favorites:guest': text }), getFavoritesKey(null)).all()).toEqual(
      text.startsWith('[') ? ['a'] : [],
    );
  });
});

describe('favorites to add on the server', () => {
  const none = { server: [], known: [], local: [], guest: [] };

  test('are at first all favorites of client and guest without duplicates, oldest first', () => {
    expect(getFavoritesToAdd({ ...none, server: ['s', 'b'], local: ['c', 'b', 'a'], guest: ['g', 'a'] })).toEqual([
      'g',
      'a',
      'c',
    ]);
  });

  test('do not include favorites that were removed on another device', () => {
    expect(getFavoritesToAdd({ ...none, server: [], known: ['a'], local: ['b', 'a'] })).toEqual(['b']);
  });

  test('are none if both lists are equal', () => {
    expect(getFavoritesToAdd({ server: ['a', 'b'], known: ['a', 'b'], local: ['a', 'b'], guest: ['b'] })).toEqual([]);
  });
});

describe("the browser's list after a merge", () => {
  test("equals the server's list", () => {
    expect(
      mergeFavorites({ server: ['b', 'new'], before: ['a', 'b'], now: ['a', 'b'], added: [], sent: new Set() }),
    ).toEqual(['b', 'new']);
  });

  test('keeps changes that were made during the merge', () => {
    expect(
      mergeFavorites({ server: ['a', 'b'], before: ['a', 'b'], now: ['c', 'b'], added: [], sent: new Set() }),
    ).toEqual(['c', 'b']);
  });

  test('has favorites that could not be added yet in front', () => {
    expect(
      mergeFavorites({
        server: ['s'],
        before: ['x', 'y'],
        now: ['x', 'y'],
        added: ['y', 'x'],
        sent: new Set(),
      }),
    ).toEqual(['x', 'y', 's']);
  });

  test('has the state that the visitor chose during the merge', () => {
    expect(
      mergeFavorites({
        server: ['off', 's'],
        before: ['on', 's'],
        now: ['on', 's'],
        added: [],
        sent: new Set(['on', 'off']),
      }),
    ).toEqual(['on', 's']);
  });
});

/**
 * Creates a fake server that stores favorites, starting with `initial`. For each request about an ad, `failWith`
 * returns the error to throw, or null for success.
 */
function server(initial: readonly string[], failWith: (adId: string) => Error | null = () => null) {
  let adIds = [...initial];
  const requests: string[] = [];
  return {
    requests,
    favorites: async (): Promise<ResponseOf<'listFavorites'>> => ({
      success: true,
      message: 'Ads loaded',
      adIds: [...adIds],
      data: adIds.map((id) => createAdCard(id)),
    }),
    addFavorite: async (adId: string) => {
      requests.push(`+${adId}`);
      const error = failWith(adId);
      if (error) throw error;
      adIds = [adId, ...adIds.filter((id) => id !== adId)];
      return { success: true, message: '', data: { id: adId, adId } } as const;
    },
    removeFavorite: async (adId: string) => {
      requests.push(`-${adId}`);
      const error = failWith(adId);
      if (error) throw error;
      adIds = adIds.filter((id) => id !== adId);
      return { success: true, message: '', data: { id: adId, adId } } as const;
    },
  };
}

/** Sends a change of the visitor, as `useFavorites` does. */
async function change(step: FavoriteChange, onRejected: Parameters<typeof syncFavorite>[1] = () => undefined) {
  if (startChange(step.adId)) await syncFavorite(step, onRejected);
}

describe("merging a client's favorites with the server", () => {
  test("combines both lists, and empties the guest's list", async () => {
    const api = server(['s']);
    const stores = { local: listOf(['c']), known: listOf([]), guest: listOf(['g2', 'g1']) };
    const { response, savedOfGuest, stoppedBy } = await syncFavorites(api, 'u', stores);
    expect(stoppedBy).toBeNull();
    expect(savedOfGuest).toBe(2);
    expect(api.requests).toEqual(['+g1', '+g2', '+c']);
    expect(response.adIds).toEqual(['c', 'g2', 'g1', 's']);
    expect(stores.local.all()).toEqual(['c', 'g2', 'g1', 's']);
    expect(stores.known.all()).toEqual(['c', 'g2', 'g1', 's']);
    expect(stores.guest.all()).toEqual([]);
  });

  test('sends nothing the second time', async () => {
    const api = server(['a']);
    await syncFavorites(api, 'u', { local: listOf(['a']), known: listOf(['a']), guest: listOf([]) });
    expect(api.requests).toEqual([]);
  });

  test('removes an ad that no longer exists, and continues with the others', async () => {
    const api = server([], (id) => (id === 'old' ? apiError(404, 'AD_NOT_FOUND') : null));
    const stores = { local: listOf([]), known: listOf([]), guest: listOf(['new', 'old']) };
    const { savedOfGuest, stoppedBy } = await syncFavorites(api, 'u', stores);
    expect(stoppedBy).toBeNull();
    expect(savedOfGuest).toBe(1);
    expect(stores.local.all()).toEqual(['new']);
  });

  test('stops at an error; the remaining favorites stay in the browser until the next merge', async () => {
    let isFull = true;
    const api = server(['s'], (id) => (isFull && id === 'b' ? apiError(409, 'TOO_MANY_FAVORITES') : null));
    const stores = { local: listOf([]), known: listOf([]), guest: listOf(['c', 'b', 'a']) };
    const { stoppedBy } = await syncFavorites(api, 'u', stores);
    expect(stoppedBy).toMatchObject({ error: { code: 'TOO_MANY_FAVORITES' }, wasAdding: true });
    expect(stores.local.all()).toEqual(['c', 'b', 'a', 's']);
    expect(stores.known.all()).toEqual(['a', 's']);
    isFull = false;
    await syncFavorites(api, 'u', stores);
    expect(stores.local.all()).toEqual(['c', 'b', 'a', 's']);
    expect(stores.known.all()).toEqual(['c', 'b', 'a', 's']);
  });
});

describe('a change during a merge', () => {
  /** Starts a merge, and calls `act` while the merge waits for the server's list. Waits until both have ended. */
  async function mergeDuring(api: ReturnType<typeof server>, stores: SyncStores, act: () => Promise<unknown>) {
    let acting: Promise<unknown> = Promise.resolve();
    const favorites = async () => {
      const response = await api.favorites();
      acting = act();
      return response;
    };
    const merged = await syncFavorites({ ...api, favorites }, 'u', stores);
    await acting;
    return merged;
  }

  test('is sent once, and reports one error', async () => {
    const api = server([], () => apiError(500, 'INTERNAL'));
    const stores = { local: listOf([]), known: listOf([]), guest: listOf([]) };
    const errors: unknown[] = [];
    const { stoppedBy } = await mergeDuring(api, stores, () => {
      stores.local.add('a');
      return change({ api, adId: 'a', ...stores }, (error) => errors.push(error));
    });
    expect(api.requests).toEqual(['+a']);
    expect([stoppedBy, errors.length]).toEqual([null, 1]);
    expect(stores.local.all()).toEqual([]);
  });

  test('that removes a favorite is retained', async () => {
    const api = server(['a']);
    const stores = { local: listOf(['a']), known: listOf(['a']), guest: listOf([]) };
    await mergeDuring(api, stores, () => {
      stores.local.remove('a');
      return change({ api, adId: 'a', ...stores });
    });
    expect(api.requests).toEqual(['-a']);
    expect([stores.local.all(), stores.known.all()]).toEqual([[], []]);
  });

  test('that ends before the server responds to the merge is retained', async () => {
    const api = server(['s']);
    const stores = { local: listOf(['s']), known: listOf(['s']), guest: listOf([]) };
    let requests = 0;
    const favorites = async () => {
      const response = await api.favorites();
      requests += 1;
      if (requests > 1) return response;
      stores.local.add('a');
      await change({ api, adId: 'a', ...stores });
      return response;
    };
    const { response } = await syncFavorites({ ...api, favorites }, 'u', stores);
    expect([response.adIds, stores.local.all(), stores.known.all()]).toEqual([
      ['a', 's'],
      ['a', 's'],
      ['a', 's'],
    ]);
  });

  /** Adds a favorite in a merge, and removes it while the merge adds it. */
  async function removeDuringAdd(api: ReturnType<typeof server>) {
    const stores = { local: listOf(['a']), known: listOf([]), guest: listOf([]) };
    const addFavorite = async (adId: string) => {
      stores.local.remove(adId);
      await change({ api, adId, ...stores });
      return api.addFavorite(adId);
    };
    return { ...(await syncFavorites({ ...api, addFavorite }, 'u', stores)), ...stores };
  }

  test('that removes a favorite while the merge adds it is sent afterwards', async () => {
    const api = server([]);
    const { local, known } = await removeDuringAdd(api);
    expect(api.requests).toEqual(['+a', '-a']);
    expect([local.all(), known.all()]).toEqual([[], []]);
  });

  test('that removes a favorite while the merge adds it is undone if it fails', async () => {
    const api = server([]);
    const removeFavorite = () => Promise.reject(apiError(500, 'INTERNAL'));
    const { local, known, stoppedBy, response } = await removeDuringAdd({ ...api, removeFavorite });
    expect([local.all(), known.all(), response.adIds]).toEqual([['a'], ['a'], ['a']]);
    expect(stoppedBy).toMatchObject({ error: { code: 'INTERNAL' }, wasAdding: false });
  });

  test('can be sent after a merge that failed because the storage was full', async () => {
    const full = createMemoryStorage();
    const local = createFavorites(full, 'any');
    const stores = { local, known: listOf([]), guest: listOf(['a']) };
    const { setItem } = full;
    full.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    await expect(syncFavorites(server([]), 'u', stores)).rejects.toThrow('full');
    full.setItem = setItem;
    await syncFavorites(server([]), 'u', stores);
    expect([local.all(), stores.guest.all()]).toEqual([['a'], []]);
  });

  test('is not undone by a favorite that the merge has yet to add', async () => {
    const api = server([]);
    const stores = { local: listOf(['b', 'a']), known: listOf([]), guest: listOf([]) };
    const addFavorite = async (adId: string) => {
      stores.local.remove('b');
      await change({ api, adId: 'b', ...stores });
      return api.addFavorite(adId);
    };
    await syncFavorites({ ...api, addFavorite }, 'u', stores);
    expect(api.requests).toEqual(['+a']);
    expect(stores.local.all()).toEqual(['a']);
  });
});

describe('sending favorites to the server', () => {
  test('sends a change, and undoes it after an error', async () => {
    const [local, known] = [listOf([]), listOf([])];
    const rejections: boolean[] = [];
    const step = { adId: 'a', local, known };
    const onRejected = (_: unknown, wasAdding: boolean) => void rejections.push(wasAdding);
    local.add('a');
    await change({ ...step, api: server([], () => apiError(403, 'ONLY_CLIENTS_FAVORITE')) }, onRejected);
    expect([local.all(), known.all(), rejections]).toEqual([[], [], [true]]);
    local.add('a');
    await change({ ...step, api: server([]) }, onRejected);
    expect([local.all(), known.all()]).toEqual([['a'], ['a']]);
    local.remove('a');
    await change({ ...step, api: server(['a'], () => apiError(500, 'INTERNAL')) }, onRejected);
    expect([local.all(), rejections]).toEqual([['a'], [true, false]]);
  });

  test('combines changes during a request into the last state', async () => {
    const [local, known, api] = [listOf([]), listOf([]), server([])];
    const step = { api, adId: 'a', local, known };
    local.add('a');
    const first = change(step);
    local.remove('a');
    const second = change(step);
    local.add('a');
    const third = change(step);
    await Promise.all([first, second, third]);
    expect(api.requests).toEqual(['+a']);
    expect([local.all(), known.all()]).toEqual([['a'], ['a']]);
  });

  test('sends both requests if a favorite is added and removed during the first request', async () => {
    const [local, known, api] = [listOf([]), listOf([]), server([])];
    const step = { api, adId: 'a', local, known };
    local.add('a');
    const first = change(step);
    local.remove('a');
    await Promise.all([first, change(step)]);
    expect(api.requests).toEqual(['+a', '-a']);
    expect(known.all()).toEqual([]);
  });
});

describe("cards of a guest's favorites", () => {
  test('never contain data that is not part of a card', () => {
    const storage = createMemoryStorage();
    const full = {
      ...createAdCard('a'),
      phone: '+1 702 555 0134',
      description: 'words',
      email: 'anna@example.com',
      socialMedia: { instagram: '@anna' },
    };
    createStoredCards(storage, 'cards').store(full);
    expect(storage.items.get('cards')).not.toMatch(/702|words|anna@|instagram/u);
    expect(toStoredCard(full)).toEqual(createAdCard('a', { isOnline: false }));
  });

  test('are stored, marked as deleted, and removed', () => {
    const cards = createStoredCards(createMemoryStorage(), 'cards');
    cards.store(createAdCard('a'));
    cards.store(createAdCard('b'));
    cards.markDeleted('b');
    expect(cards.all()).toEqual({ a: createAdCard('a', { isOnline: false }), b: null });
    expect(cards.all(), 'an unchanged record is the same object').toBe(cards.all());
    cards.retain(['b']);
    expect(cards.all()).toEqual({ b: null });
  });

  test.each(['no json', '[]', '{"a":{"title":1}}', '{"a":"x"}'])('ignore invalid storage (%s)', (text) => {
    expect(createStoredCards(createMemoryStorage({ cards: text }), 'cards').all()).toEqual({});
  });

  test('of a client replace the earlier ones, without contact data', () => {
    const storage = createMemoryStorage();
    const cards = createStoredCards(storage, 'cards');
    cards.replace([createAdCard('a'), createAdCard('b')]);
    cards.replace([createAdCard('c'), createAdCard('b', { title: 'Changed' })]);
    expect(Object.entries(cards.all()).map(([id, card]) => [id, card?.title])).toEqual([
      ['c', 'An evening walk'],
      ['b', 'Changed'],
    ]);
    expect(cards.all()['c']).toEqual(toStoredCard(createAdCard('c')));
  });

  test('are not stored if the storage is full, without an error', () => {
    const full = {
      getItem: () => null,
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError');
      },
    };
    expect(() => createStoredCards(full, 'cards').store(createAdCard('a'))).not.toThrow();
  });
});
