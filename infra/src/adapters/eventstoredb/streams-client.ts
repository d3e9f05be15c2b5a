import type { Duplex } from 'node:stream';
import grpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { Channel } from './connection-losses.ts';
import type { ReadCall } from './event-stream.ts';
import { decodeReadMessage } from './wire-reader.ts';

/** The methods of gRPC clients that this file uses. */
interface GrpcClient {
  getChannel(): Channel;
  makeServerStreamRequest(
    path: string,
    encode: (request: ReadReq) => Buffer,
    decode: (bytes: Buffer) => unknown,
    request: ReadReq,
    ...callArguments: readonly unknown[]
  ): ReadCall;
  makeBidiStreamRequest(
    path: string,
    encode: (bytes: Buffer) => Buffer,
    decode: (bytes: Buffer) => Buffer,
    ...callArguments: readonly unknown[]
  ): BatchCall;
}

/** A batch call, to which encoded requests are written. It returns encoded responses. */
export type BatchCall = Duplex & { cancel(): void };

const { read: READ, batchAppend: BATCH_APPEND } = grpc.StreamsService;
const unchanged = (bytes: Buffer): Buffer => bytes;

/**
 * A gRPC client of the service `Streams`. Unlike the generated one, which it extends, it decodes events with
 * `decodeReadMessage`, and leaves the messages of a batch call to the caller. The EventStoreDB client creates one for
 * each connection, next to its own one.
 */
export class StreamsClient extends (grpc.StreamsClient as unknown as new (...args: unknown[]) => GrpcClient) {
  read(request: ReadReq, ...callArguments: readonly unknown[]): ReadCall {
    return this.makeServerStreamRequest(READ.path, READ.requestSerialize, decodeReadMessage, request, ...callArguments);
  }

  batchAppend(...callArguments: readonly unknown[]): BatchCall {
    return this.makeBidiStreamRequest(BATCH_APPEND.path, unchanged, unchanged, ...callArguments);
  }
}
