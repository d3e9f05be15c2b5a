import { setImmediate as immediately } from 'node:timers/promises';
import {
  EVENT_DEFINITIONS,
  decodeOnce,
  findEventDefinition,
  replaceUnreadableFields,
  type EventStore,
  type EventToAppend,
  type RecordedEvent,
} from '@alpenglow/domain';
import { decrypt, encrypt } from './cipher.ts';

/**
 * The current encryption key of an account. Encrypted data contains the id of its key, so that the key can be found for
 * decryption.
 */
export interface SealingKey {
  readonly id: string;
  readonly key: Buffer;
}

/**
 * The random encryption keys of accounts. An account has one current key, and gets a new key after each erasure.
 * Destroying a key makes all data unreadable that was encrypted with the key.
 */
export interface DataKeys {
  /**
   * Returns the account's current encryption key. Creates the key if there is none. Throws if the key was destroyed.
   */
  obtain(accountId: string): Promise<SealingKey>;
  /**
   * Returns encryption keys by key id. The value of a destroyed key is null. The result does not contain ids whose key
   * is not stored or is damaged.
   */
  find(keyIds: readonly string[]): Promise<ReadonlyMap<string, Buffer | null>>;
}

const BATCH_events = 100;

/** The types of events with personal fields. */
export const PERSONAL_TYPES: readonly string[] = EVENT_DEFINITIONS.filter(
  ({ personalFields }) => Object.keys(personalFields).length > 0,
).map(({ type }) => type);

/**
 * The encrypted form of the personal fields of a stored event. `subject` is the id of the encryption key, usually the
 * account id. `box` is the ciphertext in base64.
 */
interface Sealed {
  readonly subject: string;
  readonly box: string;
}

type Data = Readonly<Record<string, unknown>>;

/**
 * Wraps an event store, so that personal fields of events are encrypted in the store. They are encrypted when events
 * are written, and decrypted when events are read. If the encryption key was destroyed, each personal field gets the
 * replacement value of its definition. If the data cannot be decrypted for another reason, the event is returned
 * without its personal fields and with the reason in `unreadable` (decision 0073). Other fields are not encrypted.
 *
 * Subscriptions of `store` may return the same object to several readers (decision 0076). Such an event is decrypted
 * only once, and only if a reader needs its type. `decrypted` holds the decrypted events.
 */
export function withPersonalData(
  store: EventStore,
  keys: DataKeys,
  { decrypted = createDecryptedEvents() }: { readonly decrypted?: DecryptedEvents } = {},
): EventStore {
  const openAll = (events: readonly RecordedEvent[]) => unsealEvents(events, keys);
  return {
    append: async (stream, events, options) => store.append(stream, await sealAll(events, keys), options),
    readStream: async (stream, options) => openAll(await store.readStream(stream, options)),
    readAll: async (options) => openAll(await store.readAll(options)),
    readHead: () => store.readHead(),
    findEventId: (position, expected) => store.findEventId(position, expected),
    async *subscribeAll({ decrypt: types, ...options }) {
      const needed = types && new Set(types);
      for await (const batch of store.subscribeAll(options))
        yield await unsealNeeded(batch, keys, { isNeeded: ({ type }) => needed?.has(type) ?? true, decrypted });
    },
    close: () => store.close(),
  };
}

/**
 * Wraps an event store that `withPersonalData` returns. An event that cannot be decrypted then has replacement values,
 * as after an erasure. Use it only for work that needs no personal data, e.g. to hide an ad.
 */
export function withReplacedPersonalData(store: EventStore): EventStore {
  return {
    ...store,
    readStream: async (stream, options) => (await store.readStream(stream, options)).map(replaceUnreadableFields),
    readAll: async (options) => (await store.readAll(options)).map(replaceUnreadableFields),
    async *subscribeAll(options) {
      for await (const batch of store.subscribeAll(options)) yield batch.map(replaceUnreadableFields);
    },
  };
}

async function sealAll(events: readonly EventToAppend[], keys: DataKeys): Promise<readonly EventToAppend[]> {
  const sealed: EventToAppend[] = [];
  // The events are encrypted one after the other. Nearly all events of an append belong to one account, whose
  // encryption key is cached after the first event.
  for (const event of events) {
    const definition = findEventDefinition(event.type);
    const subject = definition?.getSubjectId(event.data) ?? null;
    const parts = definition && subject !== null ? splitPersonal(event.data as Data, definition.personalFields) : null;
    sealed.push(
      subject !== null && parts
        ? { ...event, data: { ...parts.readable, $sealed: seal(event.id, parts.personal, await keys.obtain(subject)) } }
        : event,
    );
  }
  return sealed;
}

/**
 * Splits event data into readable fields and personal fields, which must be encrypted. Returns null if no field is
 * personal.
 */
function splitPersonal(data: Data, personalFields: Data): { readonly readable: Data; readonly personal: Data } | null {
  const fields = Object.entries(data);
  const personal = fields.filter(([name]) => name in personalFields);
  if (personal.length === 0) return null;
  const readable = fields.filter(([name]) => !(name in personalFields));
  return { readable: Object.fromEntries(readable), personal: Object.fromEntries(personal) };
}

function seal(eventId: string, personal: Data, { id: subject, key }: SealingKey): Sealed {
  return { subject, box: encrypt(key, eventId, JSON.stringify(personal)).toString('base64') };
}

/**
 * Returns events with decrypted personal fields. If an encryption key was destroyed, the fields have replacement
 * values. An event that cannot be decrypted lacks these fields and has the reason in `unreadable`. Rejects only if the
 * keys cannot be read.
 */
export async function unsealEvents(
  events: readonly RecordedEvent[],
  keys: DataKeys,
): Promise<readonly RecordedEvent[]> {
  return unsealNeeded(events, keys, { isNeeded: () => true, decrypted: null });
}

interface UnsealOptions {
  readonly isNeeded: (event: RecordedEvent) => boolean;
  /** The events that were decrypted before. Null if the events are not shared. */
  readonly decrypted: DecryptedEvents | null;
}

async function unsealNeeded(
  events: readonly RecordedEvent[],
  keys: DataKeys,
  { isNeeded, decrypted }: UnsealOptions,
): Promise<readonly RecordedEvent[]> {
  const subjects = new Set<string>();
  for (const event of events) {
    const sealed = sealedIn(event);
    if (sealed && isNeeded(event)) subjects.add(sealed.subject);
  }
  const keyById = subjects.size > 0 ? await keys.find([...subjects]) : NO_KEYS;
  const opened: RecordedEvent[] = [];
  let count = 0;
  for (const event of events) {
    const isUsed = isNeeded(event);
    const sealed = isUsed ? sealedIn(event) : undefined;
    const key = sealed && keyById.get(sealed.subject);
    const known = sealed ? decrypted?.find(event, key) : event;
    const result = known ?? openWith(event, keyById);
    opened.push(result);
    if (decrypted && isUsed) decodeOnce(result);
    if (known) continue;
    decrypted?.add(event, key, result);
    // Decrypting many events takes several milliseconds, so other work of the process can run after every batch.
    count += 1;
    if (count % BATCH_events === 0) await immediately();
  }
  return opened;
}

const NO_KEYS: ReadonlyMap<string, Buffer | null> = new Map();

/** The events that several readers receive, in decrypted form. */
export interface DecryptedEvents {
  /** Returns the decrypted form of a stored event, if it was decrypted with the same key. */
  find(stored: RecordedEvent, key: Buffer | null | undefined): RecordedEvent | undefined;
  add(stored: RecordedEvent, key: Buffer | null | undefined, decrypted: RecordedEvent): void;
  /** Removes all events. Call it after a key was destroyed. */
  clear(): void;
}

/**
 * Creates a storage of decrypted events. An event stays in it as long as the stored event is in memory. It is returned
 * only to a reader that has the key, so that a destroyed key has the same effect as without this storage.
 */
export function createDecryptedEvents(): DecryptedEvents {
  let events = new WeakMap<RecordedEvent, { readonly key: Buffer | null | undefined; readonly event: RecordedEvent }>();
  return {
    find(stored, key) {
      const found = events.get(stored);
      return found && isSameKey(found.key, key) ? found.event : undefined;
    },
    add: (stored, key, event) => void events.set(stored, { key, event }),
    clear() {
      events = new WeakMap();
    },
  };
}

function isSameKey(a: Buffer | null | undefined, b: Buffer | null | undefined): boolean {
  return a === b || (!!a && !!b && a.equals(b));
}

function openWith(event: RecordedEvent, keys: ReadonlyMap<string, Buffer | null>): RecordedEvent {
  const sealed = sealedIn(event);
  if (!sealed) return event;
  const key = keys.get(sealed.subject);
  // A key without a row was lost, because the row of a destroyed key still exists. The event gets no replacement
  // values, because its data was not erased.
  if (key === undefined)
    return withoutPersonalFields(
      event,
      `the key ${sealed.subject} is missing or damaged: restore its row in auth.data_keys from a backup`,
    );
  try {
    return open(event, sealed, key);
  } catch {
    return withoutPersonalFields(event, `the data does not match the key ${sealed.subject}: one of them was changed`);
  }
}

function withoutPersonalFields(event: RecordedEvent, unreadable: string): RecordedEvent {
  const { $sealed: _box, ...readable } = event.data as Data;
  return { ...event, data: readable, unreadable };
}

/** Returns the id of the encryption key of a stored event, or null if no field of the event is encrypted. */
export function findKeyId(event: RecordedEvent): string | null {
  return sealedIn(event)?.subject ?? null;
}

/**
 * Returns the id of the account that an encryption key belongs to. The id of a key is the account id, or the account id
 * with a tilde and a number at the end. The number of a new key is random, so that no two keys have the same id.
 */
export function accountIdOfKey(keyId: string): string {
  return keyId.split('~', 1)[0] ?? keyId;
}

/** Returns a stored event with replacement values for its personal fields, as if its encryption key were destroyed. */
export function replacePersonalData(event: RecordedEvent): RecordedEvent {
  const sealed = sealedIn(event);
  return sealed ? open(event, sealed, null) : event;
}

function sealedIn(event: RecordedEvent): Sealed | undefined {
  return (event.data as { $sealed?: Sealed } | null)?.$sealed;
}

function open(event: RecordedEvent, { box }: Sealed, key: Buffer | null): RecordedEvent {
  const { $sealed: _box, ...readable } = event.data as Data;
  return {
    ...event,
    data: { ...readable, ...(key ? decryptJson(key, event.id, box) : findEventDefinition(event.type)?.personalFields) },
  };
}

function decryptJson(key: Buffer, eventId: string, box: string): Data {
  return JSON.parse(decrypt(key, eventId, Buffer.from(box, 'base64')).toString('utf8')) as Data;
}
