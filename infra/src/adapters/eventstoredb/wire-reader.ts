import { parseUUID } from '@eventstore/db-client/dist/utils/grpcUUID.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import messages from '@eventstore/db-client/generated/streams_pb.js';
import type { ReceivedEvent } from './envelope.ts';
import { fromOffsets } from './positions.ts';

// Decodes the messages of the protocol that arrive often: events, and confirmations of appends. The generated classes
// of the client need several times the processor time, because they convert each number to a text and then to a
// `BigInt`, and store each field in an array. All other messages are decoded with these classes.

/** A message of a read or of a subscription. `event` is missing if the message is not an event. */
export interface ReadMessage {
  readonly event?: ReceivedEvent;
  /** The name of the stream, if the message states that the stream does not exist. */
  readonly unknownStream?: string;
  readonly size_bytes: number;
}

/** The confirmation of an append in a batch call: the revision of the last event, and its offsets in the log. */
export interface AppendConfirmation {
  readonly correlationId: string;
  readonly revision: number;
  readonly commit: number | bigint;
  readonly prepare: number | bigint;
}

/** Kinds of values in the protocol. */
const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;

/** The factor of bits that follow 28 other bits, and the limit of such bits below which a number is exact. */
const SHIFT_28 = 2 ** 28;
const EXACT_HIGH = 2 ** 25;

/** Reads the fields of a message, one after the other. `end` is the index after the message. */
class Fields {
  /** The number of the current field. */
  number = 0;
  kind = 0;
  at: number;
  readonly bytes: Buffer;
  readonly end: number;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** Moves to the next field. Returns false at the end of the message. */
  next(): boolean {
    if (this.at >= this.end) {
      if (this.at > this.end) throw new RangeError('A message of the event store is too short');
      return false;
    }
    const tag = this.length();
    this.number = tag >>> 3;
    this.kind = tag & 7;
    return true;
  }

  /** Reads a number of at most 31 bits. */
  length(): number {
    let byte = this.bytes[this.at++] ?? 0;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80 && shift < 35; shift += 7) {
      byte = this.bytes[this.at++] ?? 0;
      value |= (byte & 0x7f) << shift;
    }
    if (byte >= 0x80 || value < 0) throw new RangeError('A message of the event store has an invalid length');
    return value;
  }

  /** Reads a number of 64 bits. It is a `BigInt` only if a number would not be exact. */
  uint64(): number | bigint {
    const low = this.bits(4);
    if (!this.hasMoreBits()) return low;
    const middle = this.bits(4);
    if (!this.hasMoreBits() && middle < EXACT_HIGH) return middle * SHIFT_28 + low;
    const high = this.hasMoreBits() ? this.bits(2) : 0;
    return (BigInt(high) << 56n) + (BigInt(middle) << 28n) + BigInt(low);
  }

  /** Reads at most `count` bytes of a number, with 7 bits each. At most 4 bytes are read at once. */
  private bits(count: number): number {
    let value = 0;
    for (let shift = 0; shift < 7 * count; shift += 7) {
      const byte = this.bytes[this.at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  }

  /** Returns true if the number whose bits were read last has further bytes. */
  private hasMoreBits(): boolean {
    return (this.bytes[this.at - 1] ?? 0) >= 0x80;
  }

  /** Reads the length of a value. Returns the index after the value. */
  endOfValue(): number {
    const length = this.length();
    const end = this.at + length;
    if (end > this.end) throw new RangeError('A message of the event store is too short');
    return end;
  }

  /** Returns the reader of a message in the current field. */
  message(): Fields {
    const end = this.endOfValue();
    const fields = new Fields(this.bytes, this.at, end);
    this.at = end;
    return fields;
  }

  text(): string {
    const end = this.endOfValue();
    const text = this.bytes.toString('utf8', this.at, end);
    this.at = end;
    return text;
  }

  slice(): Buffer {
    const end = this.endOfValue();
    const slice = this.bytes.subarray(this.at, end);
    this.at = end;
    return slice;
  }

  skip(): void {
    if (this.kind === VARINT) this.uint64();
    else if (this.kind === BYTES) this.at = this.endOfValue();
    else if (this.kind === FIXED_64) this.at += 8;
    else if (this.kind === FIXED_32) this.at += 4;
    else throw new RangeError('A message of the event store has an unknown field');
  }
}

/** Decodes a message of a read or of a subscription (`ReadResp`). */
export function decodeReadMessage(bytes: Buffer): ReadMessage {
  const size_bytes = bytes.length;
  const fields = new Fields(bytes);
  while (fields.next()) {
    if (fields.number === 1) {
      const event = decodeReadEvent(fields.message());
      if (event) return { event, size_bytes };
    } else if (fields.number === 4) {
      const name = messages.ReadResp.deserializeBinary(bytes).getStreamNotFound()?.getStreamIdentifier();
      return { unknownStream: Buffer.from(name?.getStreamName_asU8() ?? []).toString(), size_bytes };
    } else fields.skip();
  }
  return { size_bytes };
}

/** Decodes the event of a message (`ReadEvent`). Links are not resolved, so it is the first field. */
function decodeReadEvent(fields: Fields): ReceivedEvent | null {
  while (fields.next()) {
    if (fields.number === 1) return decodeEvent(fields.message());
    fields.skip();
  }
  return null;
}

/** Decodes an event (`RecordedEvent`). */
function decodeEvent(fields: Fields): ReceivedEvent {
  let id = '';
  let streamId = '';
  let type = '';
  let isJson = false;
  let revision: number | bigint = 0;
  let prepare: number | bigint = 0;
  let commit: number | bigint = 0;
  let metadata: Buffer | null = null;
  let data: Buffer | null = null;
  while (fields.next()) {
    switch (fields.number) {
      case 1:
        id = decodeId(fields);
        break;
      case 2:
        streamId = decodeStreamName(fields.message());
        break;
      case 3:
        revision = fields.uint64();
        break;
      case 4:
        prepare = fields.uint64();
        break;
      case 5:
        commit = fields.uint64();
        break;
      case 6: {
        const { key, value } = decodeEntry(fields.message());
        if (key === 'type') type = value;
        else if (key === 'content-type') isJson = value === 'application/json';
        break;
      }
      case 7:
        metadata = fields.slice();
        break;
      case 8:
        data = fields.slice();
        break;
      default:
        fields.skip();
    }
  }
  return {
    id,
    streamId,
    type,
    revision,
    isJson,
    position: fromOffsets(commit, prepare),
    metadata: metadata === null || metadata.length === 0 ? undefined : parseJson(metadata, metadata),
    data: isJson ? parseJson(data ?? Buffer.alloc(0), null) : data,
  };
}

/** Returns the value of a JSON text. If the text is not JSON, returns `otherwise`, or the text if it is null. */
function parseJson(bytes: Buffer, otherwise: unknown): unknown {
  const text = bytes.toString();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return otherwise ?? text;
  }
}

/** Decodes an id (`UUID`). The requests of the adapter ask for ids as texts. */
function decodeId(fields: Fields): string {
  const id = fields.slice();
  const parts = new Fields(id);
  if (parts.next() && parts.number === 2) return parts.text();
  return parseUUID(shared.UUID.deserializeBinary(id)) ?? '';
}

/** Decodes the name of a stream (`StreamIdentifier`). */
function decodeStreamName(fields: Fields): string {
  while (fields.next()) {
    if (fields.number === 3) return fields.text();
    fields.skip();
  }
  return '';
}

function decodeEntry(fields: Fields): { readonly key: string; readonly value: string } {
  let key = '';
  let value = '';
  while (fields.next()) {
    if (fields.number === 1) key = fields.text();
    else if (fields.number === 2) value = fields.text();
    else fields.skip();
  }
  return { key, value };
}

/**
 * Decodes a confirmation of an append in a batch call (`BatchAppendResp`). Returns null if the message is another one,
 * such as an error.
 */
export function decodeConfirmation(bytes: Buffer): AppendConfirmation | null {
  const fields = new Fields(bytes);
  let correlationId: string | null = null;
  let success: Omit<AppendConfirmation, 'correlationId'> | null = null;
  while (fields.next()) {
    if (fields.number === 1) correlationId = decodeId(fields);
    else if (fields.number === 2) return null;
    else if (fields.number === 3) success = decodeSuccess(fields.message());
    else fields.skip();
  }
  return correlationId === null || success === null ? null : { correlationId, ...success };
}

/** Decodes the result of an append. Returns null if it lacks a revision or a position. */
function decodeSuccess(fields: Fields): Omit<AppendConfirmation, 'correlationId'> | null {
  let revision: number | bigint | null = null;
  let position: Pick<AppendConfirmation, 'commit' | 'prepare'> | null = null;
  while (fields.next()) {
    if (fields.number === 1) revision = fields.uint64();
    else if (fields.number === 3) position = decodePosition(fields.message());
    else fields.skip();
  }
  return revision === null || position === null ? null : { revision: Number(revision), ...position };
}

/** Decodes a position (`AllStreamPosition`). The protocol leaves out a number that is 0. */
function decodePosition(fields: Fields): Pick<AppendConfirmation, 'commit' | 'prepare'> {
  let commit: number | bigint = 0;
  let prepare: number | bigint = 0;
  while (fields.next()) {
    if (fields.number === 1) commit = fields.uint64();
    else if (fields.number === 2) prepare = fields.uint64();
    else fields.skip();
  }
  return { commit, prepare };
}
