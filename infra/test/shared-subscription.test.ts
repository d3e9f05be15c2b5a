import { randomBytes } from 'node:crypto';
import { START_POSITION, toDomainEvent, type EventToAppend, type RecordedEvent } from '@alpenglow/domain';
import { expect, test } from 'vitest';
import { anEvent, uniqueName } from '../../tests/support/events.ts';
import { createMemoryEventStore } from '../../tests/support/memory-event-store.ts';
import { createDecryptedEvents, withPersonalData, withSharedSubscription, type DataKeys } from '../src/index.ts';
import { createRecentEvents, estimateSize } from '../src/adapters/shared-subscription/recent-events.ts';

const EMAIL = 'anna@example.org';
const signal = new AbortController().signal;

/** Keys in memory. `key` is null after the key was destroyed, and undefined while it is missing. */
function createKeys() {
  const keys = {
    key: randomBytes(32) as Buffer | null | undefined,
    obtain: async (id: string) => ({ id, key: keys.key ?? randomBytes(32) }),
    // As in the product, a key is a new object after its cached copy has expired.
    find: async (ids: readonly string[]) =>
      new Map(keys.key === undefined ? [] : ids.map((id) => [id, keys.key ? Buffer.from(keys.key) : null] as const)),
  };
  return keys satisfies DataKeys;
}

/** Opens a store with personal data whose readers share a subscription, and counts the decrypted events by type. */
function openStore() {
  const keys = createKeys();
  const decryptions: string[] = [];
  const decrypted = createDecryptedEvents();
  const memory = createMemoryEventStore();
  const store = withPersonalData(withSharedSubscription(memory), keys, {
    decrypted: {
      ...decrypted,
      add(stored, key, event) {
        decryptions.push(stored.type);
        decrypted.add(stored, key, event);
      },
    },
  });
  const append = (...events: readonly EventToAppend[]) =>
    store.append(uniqueName('account'), events, { expectedRevision: 'no-stream' });
  return { memory, store, keys, decrypted, decryptions, append };
}

const registered = (accountId = crypto.randomUUID()) =>
  anEvent({
    type: 'AccountRegistered',
    data: {
      accountId,
      email: EMAIL,
      displayName: 'Anna',
      passwordHash: 'hash',
      userType: 'provider',
      age: 30,
      isDemo: false,
      browser: 'test',
    },
  });
const changed = (accountId = crypto.randomUUID()) =>
  anEvent({ type: 'PasswordChanged', data: { accountId, passwordHash: 'hash' } });

type Store = ReturnType<typeof openStore>['store'];

/** Starts a reader that needs the events of `decrypt`. Its `next` returns the next batch of all events. */
function startReader(store: Store, decrypt?: readonly string[]) {
  const batches = store
    .subscribeAll({ after: START_POSITION, signal, ...(decrypt && { decrypt }) })
    [Symbol.asyncIterator]();
  return {
    next: async () => (await batches.next()).value as readonly RecordedEvent[],
    async stop(): Promise<void> {
      await batches.return?.();
    },
  };
}

const emailOf = (event: RecordedEvent | undefined) => (event?.data as { email?: unknown } | undefined)?.email;

test('decrypts and decodes each event once, regardless of the number of readers', async () => {
  const { store, append, decryptions } = openStore();
  await append(registered(), registered(), registered());
  const readers = Array.from({ length: 5 }, () => startReader(store));
  const batches = await Promise.all(readers.map((reader) => reader.next()));
  expect(decryptions).toEqual(['AccountRegistered', 'AccountRegistered', 'AccountRegistered']);
  for (const batch of batches) {
    expect(batch.map(emailOf)).toEqual([EMAIL, EMAIL, EMAIL]);
    for (const [index, event] of batch.entries()) {
      expect(event).toBe(batches[0]?.[index]);
      expect(toDomainEvent(event)).toBe(toDomainEvent(batches[0]?.[index] as RecordedEvent));
    }
  }
  await Promise.all(readers.map((reader) => reader.stop()));
});

test('does not decrypt an event whose type no reader needs', async () => {
  const { store, append, decryptions } = openStore();
  await append(registered(), changed());
  const readers = [startReader(store, ['PasswordChanged']), startReader(store, [])];
  const batches = await Promise.all(readers.map((reader) => reader.next()));
  expect(batches.map((batch) => batch.map(({ type }) => type))).toEqual([
    ['AccountRegistered', 'PasswordChanged'],
    ['AccountRegistered', 'PasswordChanged'],
  ]);
  expect(decryptions).not.toContain('AccountRegistered');
  const needing = startReader(store, ['AccountRegistered']);
  expect(emailOf((await needing.next())[0])).toBe(EMAIL);
  expect(decryptions.filter((type) => type === 'AccountRegistered')).toHaveLength(1);
  await Promise.all([...readers, needing].map((reader) => reader.stop()));
});

test('returns replacement values after the key was destroyed, also of an event that was decrypted before', async () => {
  const { store, append, keys, decrypted } = openStore();
  await append(registered());
  const [before, after, later] = [startReader(store), startReader(store), startReader(store)];
  expect(emailOf((await before.next())[0])).toBe(EMAIL);
  keys.key = null;
  expect(emailOf((await after.next())[0])).not.toBe(EMAIL);
  decrypted.clear();
  expect(emailOf((await later.next())[0])).not.toBe(EMAIL);
  await Promise.all([before, after, later].map((reader) => reader.stop()));
});

test('an event with a missing key concerns only readers that need its type, until the key is found', async () => {
  const { store, append, keys } = openStore();
  await append(registered(), changed());
  const [other, needing, later] = [startReader(store, ['EmailVerified']), startReader(store), startReader(store)];
  const { key } = keys;
  keys.key = undefined;
  expect((await other.next()).some(({ unreadable }) => unreadable !== undefined)).toBe(false);
  const [unreadable] = await needing.next();
  expect(unreadable?.unreadable).toContain('missing or damaged');
  expect(() => toDomainEvent(unreadable as RecordedEvent)).toThrow('missing or damaged');
  keys.key = key;
  expect(emailOf((await later.next())[0])).toBe(EMAIL);
  await Promise.all([other, needing, later].map((reader) => reader.stop()));
});

test('an own read of an event does not change the shared event', async () => {
  const { store, append, decryptions } = openStore();
  const { position } = await append(registered());
  const reader = startReader(store);
  const [shared] = await reader.next();
  const [own] = await store.readAll({ after: START_POSITION });
  (own?.data as { email: string }).email = 'changed';
  expect(own?.position).toBe(position);
  expect(emailOf(shared)).toBe(EMAIL);
  expect(decryptions).toHaveLength(1);
  await reader.stop();
});

test('the buffer removes whole batches, and finds events that are in it or directly before it', () => {
  const recent = createRecentEvents({ position: START_POSITION, id: null }, { max_events: 3, max_bytes: 1_000_000 });
  const events = Array.from({ length: 4 }, (_, index) => ({
    ...anEvent(),
    stream: uniqueName('stream'),
    revision: 0,
    position: String(index + 1).padStart(19, '0') as RecordedEvent['position'],
  }));
  const [first, second, third, fourth] = events as [RecordedEvent, RecordedEvent, RecordedEvent, RecordedEvent];
  expect(recent.find({ position: START_POSITION, id: null })?.next).toBe(0);
  recent.add([first, second]);
  expect(recent.isFull()).toBe(false);
  recent.add([third]);
  expect(recent.isFull()).toBe(true);
  expect(recent.find(first)?.next).toBe(1);
  expect(recent.find({ position: second.position, id: null })?.mark.id).toBe(second.id);
  expect(recent.find({ position: second.position, id: crypto.randomUUID() })).toBeNull();
  expect(recent.find(fourth)).toBeNull();
  recent.removeOldest();
  expect(recent.find(first)).toBeNull();
  expect(recent.find(second)?.next).toBe(2);
  expect(recent.take(1, 10)).toBeNull();
  expect(recent.take(2, 10)).toEqual([third]);
  recent.clear();
  expect(recent.find(third)).toBeNull();
  expect(recent.take(3, 10)).toBeNull();
});

test('the estimated size of an event grows with its texts and fields', () => {
  expect(estimateSize({ text: 'x'.repeat(1_000) })).toBeGreaterThan(1_000);
  expect(estimateSize(Array.from({ length: 100 }, () => null))).toBeGreaterThan(1_000);
});
