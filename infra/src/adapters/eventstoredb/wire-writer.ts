import type { CheckedEvent } from '../event-store-input.ts';
import type { OwnEvents } from './envelope.ts';

// Encodes the message of an append in a batch call (`BatchAppendReq`). The generated classes of the client need several
// times the processor time, because they store each field in an array and collect the bytes in further arrays.

/** The texts of an event in the protocol of the server, with their lengths in bytes. */
interface EncodedEvent {
  readonly event: CheckedEvent;
  readonly metadata: string;
  readonly type_bytes: number;
  readonly data_bytes: number;
  readonly metadata_bytes: number;
  /** The length of the entry of the metadata map with the type, and of the whole event. */
  readonly typeEntry_bytes: number;
  readonly all_bytes: number;
}

export interface AppendToEncode {
  readonly correlationId: string;
  /** The name of the stream on the server. */
  readonly stream: string;
  readonly events: readonly CheckedEvent[];
  /** The revision that the stream must have. -1 means that the stream must not exist. */
  readonly after: number;
}

/** Bytes of a field with an id as a text: the tag and length of the id, and those of the text in it. */
const ID_bytes = 40;
const ID_TEXT_bytes = 36;

/** The entry of the metadata map that states that an event is JSON. */
const JSON_ENTRY = Buffer.from('\n\x0Ccontent-type\x12\x10application/json');
const TYPE_KEY = Buffer.from('\n\x04type');

/**
 * Encodes an append as one message without a deadline. The server uses a deadline only for an append in several
 * messages, and compares it with its own clock. Throws if an event or an id is not as `checkAppend` returns it.
 */
export function encodeAppend(
  { correlationId, stream, events, after }: AppendToEncode,
  toMetadataJson: OwnEvents['toMetadataJson'],
): Buffer {
  const encoded = events.map((event) => measureEvent(event, toMetadataJson(event)));
  const stream_bytes = Buffer.byteLength(stream);
  const identifier_bytes = fieldSize(stream_bytes);
  const options_bytes = fieldSize(identifier_bytes) + (after < 0 ? 2 : 1 + varintSize(after));
  let size = ID_bytes + fieldSize(options_bytes) + 2;
  for (const { all_bytes } of encoded) size += fieldSize(all_bytes);

  const writer = new Writer(size);
  writer.id(1, correlationId);
  writer.begin(2, options_bytes);
  writer.begin(1, identifier_bytes);
  writer.text(3, stream, stream_bytes);
  if (after < 0) writer.begin(3, 0);
  else writer.number(2, after);
  for (const event of encoded) writeEvent(writer, event);
  writer.number(4, 1);
  return writer.finish();
}

function measureEvent(event: CheckedEvent, metadata: string): EncodedEvent {
  const type_bytes = Buffer.byteLength(event.type);
  const data_bytes = Buffer.byteLength(event.data);
  const metadata_bytes = Buffer.byteLength(metadata);
  const typeEntry_bytes = TYPE_KEY.length + fieldSize(type_bytes);
  const all_bytes =
    ID_bytes +
    fieldSize(typeEntry_bytes) +
    fieldSize(JSON_ENTRY.length) +
    fieldSize(metadata_bytes) +
    fieldSize(data_bytes);
  return { event, metadata, type_bytes, data_bytes, metadata_bytes, typeEntry_bytes, all_bytes };
}

function writeEvent(writer: Writer, encoded: EncodedEvent): void {
  const { event, metadata, type_bytes, data_bytes, metadata_bytes, typeEntry_bytes, all_bytes } = encoded;
  writer.begin(3, all_bytes);
  writer.id(1, event.id);
  writer.begin(2, typeEntry_bytes);
  writer.copy(TYPE_KEY);
  writer.text(2, event.type, type_bytes);
  writer.begin(2, JSON_ENTRY.length);
  writer.copy(JSON_ENTRY);
  writer.text(3, metadata, metadata_bytes);
  writer.text(4, event.data, data_bytes);
}

/** Returns the number of bytes of a number in the protocol. It has at most 31 bits. */
function varintSize(value: number): number {
  let size = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) size += 1;
  return size;
}

/** Returns the number of bytes of a field with a value of `value_bytes`: its tag, its length and its value. */
function fieldSize(value_bytes: number): number {
  return 1 + varintSize(value_bytes) + value_bytes;
}

/** Writes fields into a buffer. Field numbers are at most 15, so that each tag is one byte. */
class Writer {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafe(size);
  }

  #varint(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.#bytes[this.#at++] = (rest & 0x7f) | 0x80;
    this.#bytes[this.#at++] = rest;
  }

  /** Writes the tag and the length of a field whose value follows. */
  begin(field: number, value_bytes: number): void {
    this.#bytes[this.#at++] = field * 8 + 2;
    this.#varint(value_bytes);
  }

  number(field: number, value: number): void {
    this.#bytes[this.#at++] = field * 8;
    this.#varint(value);
  }

  text(field: number, text: string, text_bytes: number): void {
    this.begin(field, text_bytes);
    this.#at += this.#bytes.write(text, this.#at, 'utf8');
  }

  /** Writes an id (`UUID`) as a text. */
  id(field: number, id: string): void {
    this.begin(field, ID_TEXT_bytes + 2);
    this.text(2, id, ID_TEXT_bytes);
  }

  copy(bytes: Buffer): void {
    this.#at += bytes.copy(this.#bytes, this.#at);
  }

  /** Returns the message. Throws if it does not have the expected size. */
  finish(): Buffer {
    if (this.#at !== this.#bytes.length) throw new RangeError('An append cannot be encoded');
    return this.#bytes;
  }
}
