import {
  DomainError,
  EventStoreUnavailable,
  favorites,
  toStreamId,
  type Decision,
  type EventStore,
  type FavoritesEvent,
  type FavoritesState,
} from '@alpenglow/domain';
import { createCommandHandler, createRequestIds, type CommandOrigin } from '@alpenglow/infra';
import { beforeEach, describe, expect, test } from 'vitest';
import { createMemoryEventStore } from '../../tests/support/memory-event-store.ts';

const STREAM = toStreamId(favorites, 'anna');
const DAY_ms = 24 * 60 * 60_000;
let memory: EventStore;

beforeEach(() => {
  memory = createMemoryEventStore();
});

const originOf = (isRepeated: boolean, seed = 'secret'): CommandOrigin => ({
  actor: { kind: 'system', name: 'test' },
  correlationId: 'test',
  ids: createRequestIds({ seed, at_ms: 20_000 * DAY_ms, isRepeated }),
});
const RANDOM: CommandOrigin = { actor: { kind: 'system', name: 'test' }, correlationId: 'test' };
const favorited = (...adIds: readonly string[]): readonly FavoritesEvent[] =>
  adIds.map((adId) => ({ type: 'AdFavorited', data: { accountId: 'anna', adId } }));
const reject: Decision<FavoritesState, FavoritesEvent> = () => {
  throw new DomainError('CONFLICT');
};
const handle = (decide: Decision<FavoritesState, FavoritesEvent>, origin: CommandOrigin, store = memory) =>
  createCommandHandler(store).handle(favorites, 'anna', decide, origin);
const readAdIds = async () =>
  (await memory.readStream(STREAM)).map(({ data }) => (data as { readonly adId: string }).adId);

describe('a repeated request', () => {
  test('returns the result of its first attempt, as it was when its events were written', async () => {
    const first = await handle(() => favorited('a', 'b'), originOf(false));
    await handle(() => favorited('c'), RANDOM);
    const repeated = await handle(reject, originOf(true));
    expect(repeated).toEqual({ ...first, state: { adIds: ['a', 'b'] } });
    expect(await readAdIds()).toEqual(['a', 'b', 'c']);
  });

  test('finds the events of each of its commands on a stream', async () => {
    const commands = createCommandHandler(memory);
    const attempt = async (origin: CommandOrigin) => {
      await commands.handle(favorites, 'anna', () => favorited('a'), origin);
      return (await commands.handle(favorites, 'anna', () => favorited('b'), origin)).revision;
    };
    expect([await attempt(originOf(false)), await attempt(originOf(true))]).toEqual([1, 1]);
    expect(await readAdIds()).toEqual(['a', 'b']);
  });

  test('decides if its first attempt has written nothing', async () => {
    const { events } = await handle(() => favorited('a'), originOf(true));
    expect(events).toEqual(favorited('a'));
    expect(await readAdIds()).toEqual(['a']);
  });

  test.each([
    ['the same number of events', ['late']],
    ['another number of events', ['late', 'later']],
  ])('returns the events of a first attempt that is written while it decides, with %s', async (_, adIds) => {
    const decide: Decision<FavoritesState, FavoritesEvent> = () => favorited('repeated');
    const store: EventStore = {
      ...memory,
      async append(stream, events, options) {
        await handle(() => favorited(...adIds), originOf(false));
        return memory.append(stream, events, options);
      },
    };
    expect(await handle(decide, originOf(true), store)).toMatchObject({
      events: favorited(...adIds),
      state: { adIds },
    });
    expect(await readAdIds()).toEqual(adIds);
  });

  test('checks other conditions only if its first attempt has written nothing', async () => {
    const commands = createCommandHandler(memory);
    let checks = 0;
    const before = async () => void (checks += 1);
    const attempt = (isRepeated: boolean) =>
      commands.handle(favorites, 'anna', () => favorited('a'), originOf(isRepeated), { before });
    await attempt(false);
    await attempt(true);
    expect(checks).toBe(1);
  });
});

test('a request whose key was lost does not write a second time', async () => {
  await handle(() => favorited('a'), originOf(false));
  await handle(() => favorited('b'), RANDOM);
  const { state, revision } = await handle(() => favorited('a'), originOf(false));
  expect([state.adIds, revision]).toEqual([['a'], 0]);
  expect(await readAdIds()).toEqual(['a', 'b']);
});

test('another request has other ids', async () => {
  await handle(() => favorited('a'), originOf(false, 'one'));
  await handle(() => favorited('b'), originOf(true, 'two'));
  expect(await readAdIds()).toEqual(['a', 'b']);
});

test('the ids of a decider are the same in every attempt, and different within one attempt', async () => {
  const drawn: string[][] = [];
  const decide: Decision<FavoritesState, FavoritesEvent> = (_, { newId }) => {
    drawn.push([newId(), newId()]);
    return [];
  };
  await handle(decide, originOf(false));
  await handle(decide, originOf(true));
  expect(drawn[0]).toEqual(drawn[1]);
  expect(new Set(drawn[0]).size).toBe(2);
});

test('an append without a response is sent a second time, and is written once', async () => {
  let isLost = true;
  const store: EventStore = {
    ...memory,
    async append(...args) {
      const appended = await memory.append(...args);
      if (!isLost) return appended;
      isLost = false;
      throw new EventStoreUnavailable('The response is lost');
    },
  };
  expect(await handle(() => favorited('a'), RANDOM, store)).toMatchObject({ revision: 0, state: { adIds: ['a'] } });
  expect(await readAdIds()).toEqual(['a']);
});

describe('a command whose stream other requests change', () => {
  const account = (accountId: string): CommandOrigin => ({
    actor: { kind: 'account', accountId },
    correlationId: 'test',
  });
  /** Returns a store in which another request of `other` writes before each of the first `count` appends. */
  function storeWithConflicts(count: number, other: CommandOrigin): EventStore {
    let left = count;
    return {
      ...memory,
      async append(stream, events, options) {
        if (left > 0) {
          left -= 1;
          await handle(() => favorited(`other ${left}`), other);
        }
        return memory.append(stream, events, options);
      },
    };
  }

  test('is rejected after five conflicts with another account', async () => {
    const store = storeWithConflicts(5, account('berta'));
    await expect(handle(() => favorited('a'), account('anna'), store)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await readAdIds()).toHaveLength(5);
  });

  test('is decided again after more conflicts with earlier requests of the same account', async () => {
    const store = storeWithConflicts(8, account('anna'));
    expect(await handle(() => favorited('a'), account('anna'), store)).toMatchObject({ revision: 8 });
  });

  test('is rejected after twenty conflicts of any kind', async () => {
    const store = storeWithConflicts(30, account('anna'));
    await expect(handle(() => favorited('a'), account('anna'), store)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await readAdIds()).toHaveLength(20);
  });
});
