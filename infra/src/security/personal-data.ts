import { setImmediate as immediately } from 'node:timers/promises';
import { findEventDefinition, type EventStore, type EventToAppend, type RecordedEvent } from '@alpenglow/domain';
import { decrypt, encrypt } from './cipher.ts';

/** The current key of an account. The encrypted data contains the key's id, so that the key is found again. */
export interface SealingKey {
  readonly id: string;
  readonly key: Buffer;
}

/**
 * The random encryption keys of accounts. Each account has one current key, and gets a new one after each erasure.
 * Destroying a key makes the data that it encrypts unreadable.
 */
export interface DataKeys {
  /** Returns the account's current key, and creates it if there is none. Throws if the key was destroyed. */
  obtain(accountId: string): Promise<SealingKey>;
  /** Returns keys by id. The value of a destroyed key is null. Ids that never had a key are missing in the result. */
  find(keyIds: readonly string[]): Promise<ReadonlyMap<string, Buffer | null>>;
}

const BATCH_events = 100;

/**
 * The value that replaces the personal fields of a stored event. `subject` is the id of the key, usually the account
 * id. `box` is the ciphertext.
 */
interface Sealed {
  readonly subject: string;
  readonly box: string;
}

type Data = Readonly<Record<string, unknown>>;

/**
 * Wraps an event store. Personal fields are encrypted in events that are written, and decrypted in events that are
 * read. If the key was destroyed, each personal field gets the replacement value of its definition. Other fields are
 * not encrypted.
 */
export function withPersonalData(store: EventStore, keys: DataKeys): EventStore {
  const openAll = (events: readonly RecordedEvent[]) => unsealEvents(events, keys);
  return {
    append: async (stream, events, options) => store.append(stream, await sealAll(events, keys), options),
    readStream: async (stream, options) => openAll(await store.readStream(stream, options)),
    readAll: async (options) => openAll(await store.readAll(options)),
    readHead: () => store.readHead(),
    async *subscribeAll(options) {
      for await (const batch of store.subscribeAll(options)) yield await openAll(batch);
    },
    close: () => store.close(),
  };
}

async function sealAll(events: readonly EventToAppend[], keys: DataKeys): Promise<readonly EventToAppend[]> {
  const sealed: EventToAppend[] = [];
  // The events are handled one after the other. Nearly all events of an append belong to one account, whose
  // key is cached after the first event.
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

/** Splits event data into fields that stay readable and fields to encrypt. Null if no field is personal. */
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

/** Returns events with decrypted personal fields, or with replacement values if the key was destroyed. */
export async function unsealEvents(
  events: readonly RecordedEvent[],
  keys: DataKeys,
): Promise<readonly RecordedEvent[]> {
  const subjects = new Set(events.map((event) => sealedIn(event)?.subject).filter((subject) => subject !== undefined));
  if (subjects.size === 0) return events;
  const keyById = await keys.find([...subjects]);
  const opened: RecordedEvent[] = [];
  for (const event of events) {
    // Decrypting many events takes some milliseconds, so other work of the process can run after each batch.
    if (opened.length % BATCH_events === BATCH_events - 1) await immediately();
    opened.push(openWith(event, keyById));
  }
  return opened;
}

function openWith(event: RecordedEvent, keys: ReadonlyMap<string, Buffer | null>): RecordedEvent {
  const sealed = sealedIn(event);
  if (!sealed) return event;
  const key = keys.get(sealed.subject);
  // A missing key was lost, not erased. It is an error, because read models must not get replacement values.
  if (key === undefined)
    throw new Error(`The key of event ${event.id} is missing: restore auth.data_keys from a backup`);
  return open(event, sealed, key);
}

/** Returns the id of the key that encrypts personal fields of a stored event, or null if no field is encrypted. */
export function findKeyId(event: RecordedEvent): string | null {
  return sealedIn(event)?.subject ?? null;
}

/** Returns the account id of a key. The id of the first key is the account id. Later keys add a tilde and a number. */
export function accountIdOfKey(keyId: string): string {
  return keyId.split('~', 1)[0] ?? keyId;
}

/** Returns a stored event with the replacement values of its personal fields, as after the destruction of its key. */
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
