import { createCipheriv, createDecipheriv } from 'node:crypto';
import { definitionOf, type EventStore, type EventToAppend, type RecordedEvent } from '@alpenglow/domain';
import { drawRandomBytes } from './random.ts';

/** One random key per account. Destroying the key is what erases a person's data from history. */
export interface DataKeys {
  /** The account's key, made when there is none. Throws when it was destroyed. */
  obtain(accountId: string): Promise<Buffer>;
  /** The keys by account id, null where one was destroyed. An account that never had one is not in the answer. */
  find(accountIds: readonly string[]): Promise<ReadonlyMap<string, Buffer | null>>;
}

const CIPHER = 'aes-256-gcm';
const IV_bytes = 12;
const TAG_bytes = 16;

/** Stored in place of the personal fields: whose key opens it, and the ciphertext. */
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
    sealed.push(subject !== null && parts ? { ...event, data: { ...parts.readable, $sealed: seal(event.id, parts.personal, subject, await keys.obtain(subject)) } } : event);
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

function seal(eventId: string, personal: Data, subject: string, key: Buffer): Sealed {
  const iv = drawRandomBytes(IV_bytes);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(eventId));
  const box = Buffer.concat([iv, cipher.update(JSON.stringify(personal), 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { subject, box: box.toString('base64') };
}

async function openBatch(events: readonly RecordedEvent[], keys: DataKeys): Promise<readonly RecordedEvent[]> {
  const subjects = new Set(events.map((event) => sealedIn(event)?.subject).filter((subject) => subject !== undefined));
  if (subjects.size === 0) return events;
  const found = await keys.find([...subjects]);
  return events.map((event) => {
    const sealed = sealedIn(event);
    if (!sealed) return event;
    const key = found.get(sealed.subject);
    // Not erased but lost: reading on as if erased would write blanks into every read model.
    if (key === undefined) throw new Error(`The key of event ${event.id} is missing: restore auth.data_keys from a backup`);
    return open(event, sealed, key);
  });
}

function sealedIn(event: RecordedEvent): Sealed | undefined {
  return (event.data as { $sealed?: Sealed } | null)?.$sealed;
}

function open(event: RecordedEvent, { box }: Sealed, key: Buffer | null): RecordedEvent {
  const { $sealed: _box, ...readable } = event.data as Data;
  return { ...event, data: { ...readable, ...(key ? decrypt(key, event.id, box) : definitionOf(event.type)?.personal) } };
}

function decrypt(key: Buffer, eventId: string, box: string): Data {
  const bytes = Buffer.from(box, 'base64');
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_bytes), { authTagLength: TAG_bytes })
    .setAAD(Buffer.from(eventId))
    .setAuthTag(bytes.subarray(-TAG_bytes));
  return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(IV_bytes, -TAG_bytes)), decipher.final()]).toString('utf8')) as Data;
}
