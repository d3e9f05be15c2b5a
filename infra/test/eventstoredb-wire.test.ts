import type { EventToAppend, StreamId } from '@alpenglow/domain';
import { convertGrpcEvent } from '@eventstore/db-client/dist/utils/convertGrpcEvent.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import statuses from '@eventstore/db-client/generated/status_pb.js';
import messages, { type ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { describe, expect, it } from 'vitest';
import { checkAppend } from '../src/adapters/event-store-input.ts';
import { createOwnEvents } from '../src/adapters/eventstoredb/envelope.ts';
import { toPosition } from '../src/adapters/eventstoredb/positions.ts';
import { decodeConfirmation, decodeReadMessage } from '../src/adapters/eventstoredb/wire-reader.ts';
import { encodeAppend } from '../src/adapters/eventstoredb/wire-writer.ts';

// These tests compare our decoding and encoding with the generated classes of the client, for the same bytes.

interface EventFields {
  readonly id?: string | InstanceType<typeof shared.UUID>;
  readonly stream?: string;
  readonly type?: string;
  readonly contentType?: string;
  readonly revision?: string;
  readonly commit?: string;
  readonly prepare?: string;
  readonly data?: Buffer;
  readonly metadata?: Buffer;
}

const ID = '0190a5b4-1111-7222-8333-123456789abc';
const toUuid = (text: string) => {
  const uuid = new shared.UUID();
  uuid.setString(text);
  return uuid;
};
const toIdentifier = (stream: string) => {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream));
  return identifier;
};
const bytesOf = (message: { serializeBinary(): Uint8Array }) => Buffer.from(message.serializeBinary());

function toResponse({
  id = ID,
  stream = 'listing-1',
  type = 'AdPosted',
  contentType = 'application/json',
  revision = '4',
  commit = '1000',
  prepare = commit,
  data = Buffer.from('{"title":"ä"}'),
  metadata = Buffer.from('{"version":1}'),
}: EventFields = {}): ReadResp {
  const event = new messages.ReadResp.ReadEvent.RecordedEvent();
  event.setId(typeof id === 'string' ? toUuid(id) : id);
  event.setStreamIdentifier(toIdentifier(stream));
  event.setStreamRevision(revision);
  event.setCommitPosition(commit);
  event.setPreparePosition(prepare);
  event.getMetadataMap().set('type', type).set('created', '638000000000000000').set('content-type', contentType);
  event.setData(data);
  event.setCustomMetadata(metadata);
  const read = new messages.ReadResp.ReadEvent();
  read.setEvent(event);
  read.setCommitPosition(commit);
  return new messages.ReadResp().setEvent(read);
}

/** Returns the event as the client decodes it, with the fields that the adapter uses. */
function decodeWithClient(bytes: Buffer) {
  const read = messages.ReadResp.deserializeBinary(bytes).getEvent();
  if (!read) throw new Error('The message has no event');
  const { event } = convertGrpcEvent(read);
  if (!event) throw new Error('The message has no event');
  const { id, streamId, type, revision, isJson, data, metadata, position } = event;
  return { id, streamId, type, revision, isJson, data, metadata, position };
}

describe('a received event', () => {
  const structured = new shared.UUID();
  const halves = new shared.UUID.Structured();
  const bits = 'd9428888122b41e1b85c61cd3cbb3210';
  halves.setMostSignificantBits(String(BigInt.asIntN(64, BigInt(`0x${bits.slice(0, 16)}`))));
  halves.setLeastSignificantBits(String(BigInt.asIntN(64, BigInt(`0x${bits.slice(16)}`))));
  structured.setStructured(halves);

  it.each<[string, EventFields]>([
    ['usual fields', {}],
    ['the first revision and position', { revision: '0', commit: '0' }],
    ...['1', '127', '128', '16383', '268435455', '268435456', '4294967295', '4294967296'].map(
      (commit): [string, EventFields] => [`offset ${commit}`, { commit, prepare: String(Number(commit) + 1) }],
    ),
    ...['9007199254740991', '9007199254740992', '9007199254740993', '72057594037927935', '9223372036854775807'].map(
      (commit): [string, EventFields] => [`the large offset ${commit}`, { commit }],
    ),
    ['a large revision', { revision: '2147483647' }],
    ['an id in two halves', { id: structured }],
    ['a name beyond ASCII', { stream: 'größe-€-😀', type: 'Größe' }],
    ['no metadata', { metadata: Buffer.alloc(0) }],
    ['metadata that is no JSON', { metadata: Buffer.from('{"version":') }],
    ['data that is no JSON although it should be', { data: Buffer.from('{"a":') }],
    ['no data', { data: Buffer.alloc(0) }],
    ['data of 100 KB', { data: Buffer.from(JSON.stringify('ä'.repeat(50_000))) }],
    ['a link', { type: '$>', data: Buffer.from('0@other'), contentType: 'application/octet-stream' }],
    ['bytes', { contentType: 'application/octet-stream', data: Buffer.from([0, 255, 1]) }],
  ])('with %s is decoded as by the client', (_, fields) => {
    const bytes = bytesOf(toResponse(fields));
    const theirs = decodeWithClient(bytes);
    const { event, size_bytes } = decodeReadMessage(bytes);
    expect(size_bytes).toBe(bytes.length);
    const toBytes = (value: unknown) => (value instanceof Uint8Array ? [...value] : value);
    expect({
      ...event,
      revision: BigInt(event?.revision ?? -1),
      data: toBytes(event?.data),
      metadata: toBytes(event?.metadata),
    }).toEqual({
      ...theirs,
      position: toPosition(theirs.position),
      data: toBytes(theirs.data),
      metadata: toBytes(theirs.metadata),
    });
  });

  it('without a position has none', () => {
    for (const commit of ['9223372036854775808', '18446744073709551615']) {
      const { event } = decodeReadMessage(bytesOf(toResponse({ commit })));
      expect(event?.position).toBeUndefined();
      expect(() => toPosition(event?.position)).toThrow('22.10');
    }
  });

  it('is decoded although the message has fields of a later version of the protocol', () => {
    // Fields 100 to 103, one of each kind.
    const later = Buffer.from([160, 6, 150, 1, 169, 6, 1, 2, 3, 4, 5, 6, 7, 8, 178, 6, 2, 9, 9, 189, 6, 1, 2, 3, 4]);
    const bytes = Buffer.concat([later, bytesOf(toResponse())]);
    expect(decodeReadMessage(bytes).event).toEqual(decodeReadMessage(bytesOf(toResponse())).event);
  });

  it('is rejected if the message is incomplete or damaged', () => {
    const bytes = bytesOf(toResponse());
    for (let length = 1; length < bytes.length; length += 1)
      expect(() => decodeReadMessage(bytes.subarray(0, length))).toThrow(RangeError);
    expect(() => decodeReadMessage(Buffer.from([11]))).toThrow(RangeError);
    expect(() => decodeReadMessage(Buffer.from([10, 255, 255, 255, 255, 255, 255]))).toThrow(RangeError);
  });
});

describe('other messages of a read', () => {
  it('have no event', () => {
    const confirmation = new messages.ReadResp.SubscriptionConfirmation();
    confirmation.setSubscriptionId('s');
    const checkpoint = new messages.ReadResp.Checkpoint();
    checkpoint.setCommitPosition('5');
    for (const message of [
      new messages.ReadResp().setConfirmation(confirmation),
      new messages.ReadResp().setCheckpoint(checkpoint),
      new messages.ReadResp().setLastStreamPosition('7'),
      new messages.ReadResp().setCaughtUp(new messages.ReadResp.CaughtUp()),
      new messages.ReadResp(),
    ]) {
      const bytes = bytesOf(message);
      expect(decodeReadMessage(bytes)).toEqual({ size_bytes: bytes.length });
    }
  });

  it('name an unknown stream', () => {
    const unknown = new messages.ReadResp.StreamNotFound();
    unknown.setStreamIdentifier(toIdentifier('größe-1'));
    expect(decodeReadMessage(bytesOf(new messages.ReadResp().setStreamNotFound(unknown)))).toMatchObject({
      unknownStream: 'größe-1',
    });
  });
});

describe('an append in a batch call', () => {
  const meta = {
    correlationId: 'c',
    causationId: null,
    actor: { kind: 'system', name: 'ä' },
    at: '2026-11-21T12:00:00.000Z',
  } as const;
  const events = (count: number, overrides: Partial<EventToAppend> = {}): EventToAppend[] =>
    Array.from({ length: count }, (_, number) => ({
      id: crypto.randomUUID(),
      type: 'AdPosted',
      version: 3,
      data: { title: '€'.repeat(number) },
      meta,
      ...overrides,
    }));

  it.each<[string, EventToAppend[], number, string]>([
    ['to a new stream', events(1), -1, 'listing-1'],
    ['of several events', events(200), 0, 'listing-1'],
    ['at a large revision', events(1), 2_147_483_647, 'listing-1'],
    ['with names beyond ASCII', events(2, { type: 'Größe' }), 127, 'größe-€-😀'],
    ['with large data', events(1, { data: 'ä'.repeat(500_000) }), 128, 's'.repeat(200)],
  ])('%s is encoded as the generated classes read it', (_, toAppend, after, stream) => {
    const own = createOwnEvents('shop-');
    const checked = checkAppend(stream as StreamId, toAppend, 'any').events;
    const correlationId = crypto.randomUUID();
    const bytes = encodeAppend({ correlationId, stream, events: checked, after }, own.toMetadataJson);
    const request = messages.BatchAppendReq.deserializeBinary(bytes);
    expect(request.getCorrelationId()?.getString()).toBe(correlationId);
    expect(request.getIsFinal()).toBe(true);
    const options = request.getOptions();
    expect(Buffer.from(options?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()).toBe(stream);
    expect(options?.hasNoStream()).toBe(after < 0);
    expect(options?.hasStreamPosition()).toBe(after >= 0);
    if (after >= 0) expect(options?.getStreamPosition()).toBe(String(after));
    expect(options?.hasDeadline()).toBe(false);
    const sent = request.getProposedMessagesList().map((message) => ({
      id: message.getId()?.getString(),
      fields: Object.fromEntries(message.getMetadataMap().getEntryList()),
      data: Buffer.from(message.getData_asU8()).toString(),
      metadata: Buffer.from(message.getCustomMetadata_asU8()).toString(),
    }));
    expect(sent).toEqual(
      checked.map((event) => ({
        id: event.id,
        fields: { type: event.type, 'content-type': 'application/json' },
        data: event.data,
        metadata: own.toMetadataJson(event),
      })),
    );
    // The generated classes write the same number of bytes, so nothing is missing.
    expect(bytes.length).toBe(request.serializeBinary().length);
  });

  it('is rejected if an id is not an id', () => {
    const [checked] = checkAppend('s' as StreamId, events(1), 'any').events;
    if (!checked) expect.unreachable();
    const own = createOwnEvents('');
    for (const id of ['', 'x'.repeat(37)])
      expect(() =>
        encodeAppend({ correlationId: ID, stream: 's', events: [{ ...checked, id }], after: -1 }, own.toMetadataJson),
      ).toThrow(RangeError);
  });
});

describe('a response to an append in a batch call', () => {
  function toSuccess(revision: string | null, commit: string | null, prepare = commit): Buffer {
    const success = new messages.BatchAppendResp.Success();
    if (revision !== null) success.setCurrentRevision(revision);
    else success.setNoStream(new shared.Empty());
    if (commit !== null && prepare !== null) {
      const position = new shared.AllStreamPosition();
      position.setCommitPosition(commit);
      position.setPreparePosition(prepare);
      success.setPosition(position);
    }
    const response = new messages.BatchAppendResp();
    response.setCorrelationId(toUuid(ID));
    response.setStreamIdentifier(toIdentifier('listing-1'));
    response.setSuccess(success);
    return bytesOf(response);
  }

  it('is decoded if it is a complete confirmation', () => {
    expect(decodeConfirmation(toSuccess('0', '0'))).toEqual({ correlationId: ID, revision: 0, commit: 0, prepare: 0 });
    expect(decodeConfirmation(toSuccess('7', '300', '200'))).toEqual({
      correlationId: ID,
      revision: 7,
      commit: 300,
      prepare: 200,
    });
    expect(decodeConfirmation(toSuccess('7', '9223372036854775807'))).toMatchObject({
      commit: 9_223_372_036_854_775_807n,
    });
  });

  it('is no confirmation if a part is missing, or if it is an error', () => {
    expect(decodeConfirmation(toSuccess(null, '300'))).toBeNull();
    expect(decodeConfirmation(toSuccess('7', null))).toBeNull();
    const failed = new messages.BatchAppendResp();
    failed.setCorrelationId(toUuid(ID));
    failed.setError(new statuses.Status());
    expect(decodeConfirmation(bytesOf(failed))).toBeNull();
    expect(decodeConfirmation(bytesOf(new messages.BatchAppendResp()))).toBeNull();
  });
});
