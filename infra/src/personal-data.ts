import { createCipheriv, createDecipheriv } from 'node:crypto';
import { setImmediate as immediately } from 'node:timers/promises';
import { definitionOf, type EventStore, type EventToAppend, type RecordedEvent } from '@alpenglow/domain';
import { drawRandomBytes } from './random.ts';

/** What something new is sealed with: the id finds the key again. */
export interface SealingKey {
  readonly id: string;
  readonly key: Buffer;
}

/** Random keys of accounts: one each, and another one after each erasure. Destroying a key is what erases a person's data from history. */
export interface DataKeys {
  /** The key an account's data is sealed with now, made when there is none. Throws when it was destroyed. */
  obtain(accountId: string): Promise<SealingKey>;
  /** Keys by their ids, null where one was destroyed. One that never was is not in the answer. */
  find(keyIds: readonly string[]): Promise<ReadonlyMap<string, Buffer | null>>;
}

const CIPHER = 'aes-256-gcm';
const IV_bytes = 12;
const TAG_bytes = 16;
const SLICE_events = 100;

/** Stored in place of the personal fields: the id of the key that opens it, which is mostly that of its account, and the ciphertext. */
interface Sealed {
  readonly subject: string;
  readonly box: string;
}

type Data = Readonly<Record<string, unknown>>;

/**
 * An event store that seals the personal fields of what it writes and opens them in what it reads. Where the key is
 * destroyed, each such field reads as its definition's replacement. The rest of an event stays readable without any key.
 */
export function withPersonalData(store: EventStore, keys: DataKeys): EventStore {
  const openAll = (events: readonly RecordedEvent[]) => openBatch(events, keys);
  return {
    append: async (stream, events, options) => store.append(stream, await sealAll(events, keys), options),
    readStream: async (stream, options) => openAll(await store.readStream(stream, options)),
    readAll: async (options) => openAll(await store.readAll(options)),
    head: () => store.head(),
    async *subscribeAll(options) {
      for await (const batch of store.subscribeAll(options)) yield await openAll(batch);
    },
    close: () => store.close(),
  };
}

async function sealAll(events: readonly EventToAppend[], keys: DataKeys): Promise<readonly EventToAppend[]> {
  const sealed: EventToAppend[] = [];
  // One after the other, since the events of an append are nearly always of one account, whose key is at hand after the first.
  for (const event of events) {
    const definition = definitionOf(event.type);
    const subject = definition?.subjectOf(event.data) ?? null;
    const parts = definition && subject !== null ? divide(event.data as Data, definition.personal) : null;
    sealed.push(
      subject !== null && parts
        ? { ...event, data: { ...parts.readable, $sealed: seal(event.id, parts.personal, await keys.obtain(subject)) } }
        : event,
    );
  }
  return sealed;
}

/** The fields that stay readable and those that are sealed; null when there is nothing to seal. */
function divide(data: Data, personalFields: Data): { readonly readable: Data; readonly personal: Data } | null {
  const readable: Record<string, unknown> = {};
  const personal: Record<string, unknown> = {};
  let isPersonal = false;
  for (const [name, value] of Object.entries(data)) {
    if (name in personalFields) {
      personal[name] = value;
      isPersonal = true;
    } else {
      readable[name] = value;
    }
  }
  return isPersonal ? { readable, personal } : null;
}

function seal(eventId: string, personal: Data, { id: subject, key }: SealingKey): Sealed {
  const iv = drawRandomBytes(IV_bytes);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(eventId));
  const box = Buffer.concat([iv, cipher.update(JSON.stringify(personal), 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { subject, box: box.toString('base64') };
}

async function openBatch(events: readonly RecordedEvent[], keys: DataKeys): Promise<readonly RecordedEvent[]> {
  const subjects = new Set(events.map((event) => sealedIn(event)?.subject).filter((subject) => subject !== undefined));
  if (subjects.size === 0) return events;
  const found = await keys.find([...subjects]);
  const opened: RecordedEvent[] = [];
  for (const event of events) {
    // Opening a page of history takes some milliseconds: whoever shares the process waits for a slice of it at most.
    if (opened.length % SLICE_events === SLICE_events - 1) await immediately();
    opened.push(openWith(event, found));
  }
  return opened;
}

function openWith(event: RecordedEvent, keys: ReadonlyMap<string, Buffer | null>): RecordedEvent {
  const sealed = sealedIn(event);
  if (!sealed) return event;
  const key = keys.get(sealed.subject);
  // Not erased but lost: reading on as if erased would write blanks into every read model.
  if (key === undefined)
    throw new Error(`The key of event ${event.id} is missing: restore auth.data_keys from a backup`);
  return open(event, sealed, key);
}

/** The id of the key that opens what is sealed in an event, as the store has it; null where nothing is. */
export function keyIdIn(event: RecordedEvent): string | null {
  return sealedIn(event)?.subject ?? null;
}

/** Whose a key is: later ones of an account are called by its id, a tilde and a number. */
export function accountIdOfKey(keyId: string): string {
  return keyId.split('~', 1)[0] ?? keyId;
}

/** An event, as the store has it, with what stands in place of its personal fields once they cannot be opened. */
export function asErased(event: RecordedEvent): RecordedEvent {
  const sealed = sealedIn(event);
  return sealed ? open(event, sealed, null) : event;
}

/** Events, as the store has them, with their personal fields opened, or replaced where the key was destroyed. */
export function openEvents(events: readonly RecordedEvent[], keys: DataKeys): Promise<readonly RecordedEvent[]> {
  return openBatch(events, keys);
}

function sealedIn(event: RecordedEvent): Sealed | undefined {
  return (event.data as { $sealed?: Sealed } | null)?.$sealed;
}

function open(event: RecordedEvent, { box }: Sealed, key: Buffer | null): RecordedEvent {
  const { $sealed: _box, ...readable } = event.data as Data;
  return {
    ...event,
    data: { ...readable, ...(key ? decrypt(key, event.id, box) : definitionOf(event.type)?.personal) },
  };
}

function decrypt(key: Buffer, eventId: string, box: string): Data {
  const bytes = Buffer.from(box, 'base64');
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_bytes), { authTagLength: TAG_bytes })
    .setAAD(Buffer.from(eventId))
    .setAuthTag(bytes.subarray(-TAG_bytes));
  const text = decipher.update(bytes.subarray(IV_bytes, -TAG_bytes)).toString('utf8');
  // With this cipher nothing is left to come; it throws for a text that was tampered with.
  decipher.final();
  return JSON.parse(text) as Data;
}
