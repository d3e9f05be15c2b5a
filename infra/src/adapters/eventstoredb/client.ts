import type { Duplex, Readable, ReadableOptions } from 'node:stream';
import { EventStoreDBClient, type AllStreamSubscription, type Filter, type ReadPosition } from '@eventstore/db-client';
import { createStreamIdentifier } from '@eventstore/db-client/dist/utils/grpcStreamIdentifier.js';
import { createUUID, parseUUID } from '@eventstore/db-client/dist/utils/grpcUUID.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import grpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import messages, { type BatchAppendReq, type BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Logger } from '../../service/logger.ts';
import type { CheckedAppend, CheckedEvent } from '../event-store-input.ts';
import { toClientAddress } from './address.ts';
import { toMetadataJson } from './envelope.ts';
import type { LogPosition } from './positions.ts';

/**
 * Internal members of the EventStoreDB client that this file uses or changes. A test checks that the installed version
 * still has these members.
 */
interface ClientInternals {
  execute: (grpcClient: unknown, debugName: string, action: Action) => Promise<unknown>;
  supports: () => Promise<boolean>;
  handleError: (grpcClient: unknown, error: Error) => Promise<void>;
  getChannel: () => Promise<{ close(): void }>;
  GRPCStreamCreator: (
    type: unknown,
    debugName: string,
    create: CreateStream,
    cache?: unknown,
  ) => () => Promise<unknown>;
  callArguments: (
    options: { readonly requiresLeader: boolean },
    callOptions: { readonly deadline: number },
  ) => readonly unknown[];
}

interface GrpcReader {
  read(request: { getOptions(): { setCount(count: string): void } }, ...rest: unknown[]): unknown;
}
type CreateStream = (grpcClient: GrpcReader) => unknown;

interface GrpcAppender extends GrpcReader, HasChannel {
  batchAppend(...callArguments: readonly unknown[]): BatchCall;
}
type BatchCall = Duplex & { cancel(): void };

interface HasChannel {
  getChannel(): { getConnectivityState(tryToConnect: boolean): number };
}
type Action = (grpcClient: HasChannel) => Promise<unknown>;

/** The numbers with which gRPC reports an open and a closed connection. */
const READY = 2;
const SHUTDOWN = 4;

/**
 * Creates a client for the EventStoreDB server at `url`. The client connects at its first use. It reconnects after a
 * broken connection or a change of the leader. Four behaviors of the client library are disabled, because they would
 * end the process or cause a permanent failure (decision 0018).
 */
export function connectEventStoreDb(url: string, log: Logger) {
  const { connectionString, hosts, ignoredOptions } = toClientAddress(url);
  if (ignoredOptions.length > 0)
    log.warn({ options: ignoredOptions }, 'unsupported options of EVENTSTORE_URL are ignored');
  const client = open(connectionString);
  const internals = client as unknown as ClientInternals;

  // With this setting, the client's `appendToStream` sends every append as a separate call. Without it, the client
  // sends all appends in one long-lived call, which has three problems. The client shares the pending appends between
  // all clients of the process. It throws in an event handler if a response arrives after the connection broke. Its
  // check of the server's features fails permanently after the search for a server has failed once. `openBatchCall`
  // replaces this call.
  internals.supports = () => Promise.resolve(false);
  // `handleError` rejects if another call could not open the connection. The client does not handle this rejection, so
  // it is caught here.
  const handleError = internals.handleError;
  internals.handleError = (grpcClient, error) => handleError(grpcClient, error).catch(() => undefined);

  // The client may use a closed connection. An append on a closed connection throws where no caller can catch the
  // error, so the state of the connection is checked first.
  const execute = internals.execute;
  internals.execute = (grpcClient, debugName, action) =>
    execute(grpcClient, debugName, (connected) => {
      if (connected.getChannel().getConnectivityState(false) === SHUTDOWN)
        throw new Error('Channel has been shut down');
      return action(connected);
    });

  log.debug({ hosts }, 'event store');
  return {
    client,
    /** Ends the pending requests and closes the connection. */
    async close(): Promise<void> {
      await client.dispose();
      // The client's `dispose` ends the calls but leaves the connection open, so the connection is closed here.
      const channel = await internals.getChannel();
      channel.close();
    },
  };
}

interface FilteredRead {
  readonly fromPosition: ReadPosition;
  readonly filter: Filter;
  /** The maximum number of events that match the filter. */
  readonly maxCount: number;
  readonly requiresLeader: boolean;
}

/**
 * Reads the events of all streams that match a filter, forwards from a position to the end of the log. The server
 * searches the log. The client has no method for this request. It differs from the request of a filtered subscription
 * only in one field: it has a number of events instead of a subscription.
 */
export function readFiltered(
  client: EventStoreDBClient,
  { maxCount, ...options }: FilteredRead,
  buffer: ReadableOptions,
): Readable & { cancel(): Promise<void> } {
  const internals = client as unknown as ClientInternals;
  const createReadStream: ClientInternals['GRPCStreamCreator'] = (type, debugName, create, cache) =>
    internals.GRPCStreamCreator(
      type,
      debugName,
      (grpcClient) =>
        create({
          read(request, ...rest) {
            request.getOptions().setCount(String(maxCount));
            return grpcClient.read(request, ...rest);
          },
        }),
      cache,
    );
  const reader = Object.create(client, { GRPCStreamCreator: { value: createReadStream } }) as EventStoreDBClient;
  const events: AllStreamSubscription & Readable = reader.subscribeToAll(options, buffer);
  return Object.assign(events, { cancel: () => events.unsubscribe() });
}

/** The response to one append of a batch call. */
export interface BatchResponse {
  /** The id that the append was sent with. Undefined if the response has none. */
  readonly correlationId: string | undefined;
  /** The revision and the position of the last appended event. Null if the response is not a complete confirmation. */
  readonly written: { readonly revision: number; readonly position: LogPosition } | null;
  /** True if the server reports that the stream is at another revision than expected. */
  readonly isConflict: boolean;
}

export interface BatchCallHandlers {
  readonly onResponse: (response: BatchResponse) => void;
  /** Called when the call ends or fails. It may be called several times. */
  readonly onEnd: () => void;
}

export interface OpenBatchCall {
  /**
   * Returns the state of the connection that the call uses. `closed` means that the client has replaced it. While it is
   * `not ready`, an append would wait.
   */
  state(): 'ready' | 'not ready' | 'closed';
  /** Sends an append. The stream must be at revision `after`. -1 means that the stream must not exist. */
  send(correlationId: string, append: CheckedAppend, after: number): void;
  /** Ends the call. The server does not write the appends that are still in its queue. */
  cancel(): void;
}

/**
 * Opens a `BatchAppend` call, which is one long-lived call for many appends. The leader must process it. Rejects if the
 * call cannot be opened.
 */
export async function openBatchCall(
  client: EventStoreDBClient,
  { onResponse, onEnd }: BatchCallHandlers,
): Promise<OpenBatchCall> {
  const internals = client as unknown as ClientInternals;
  let channel: ReturnType<HasChannel['getChannel']> | undefined;
  const create = internals.GRPCStreamCreator(grpc.StreamsClient, 'appendToStream', (grpcClient) => {
    const appender = grpcClient as GrpcAppender;
    channel = appender.getChannel();
    const created = appender.batchAppend(...internals.callArguments({ requiresLeader: true }, { deadline: Infinity }));
    // The listeners stay, because an error without a listener ends the process.
    return created
      .on('data', (response: BatchAppendResp) => {
        try {
          onResponse(fromBatchResponse(response));
        } catch {
          onEnd();
        }
      })
      .on('error', onEnd)
      .on('end', onEnd)
      .on('close', onEnd);
  });
  const call = (await create()) as BatchCall;
  return {
    state() {
      const state = channel?.getConnectivityState(false);
      if (state === SHUTDOWN) return 'closed';
      return state === READY ? 'ready' : 'not ready';
    },
    // The result of `write` is ignored, because the caller limits the number and the size of the waiting appends.
    send: (correlationId, append, after) => void call.write(toBatchRequest(correlationId, append, after)),
    cancel() {
      call.cancel();
      call.destroy();
    },
  };
}

/**
 * Encodes an append as one message. The message has no deadline. The server uses a deadline only for an append in
 * several messages, and compares it with its own clock.
 */
function toBatchRequest(correlationId: string, { stream, events }: CheckedAppend, after: number): BatchAppendReq {
  const options = new messages.BatchAppendReq.Options();
  options.setStreamIdentifier(createStreamIdentifier(stream));
  if (after < 0) options.setNoStream(new shared.Empty());
  else options.setStreamPosition(String(after));
  const request = new messages.BatchAppendReq();
  request.setCorrelationId(createUUID(correlationId));
  request.setOptions(options);
  request.setProposedMessagesList(events.map(toProposedMessage));
  request.setIsFinal(true);
  return request;
}

function toProposedMessage(event: CheckedEvent): BatchAppendReq.ProposedMessage {
  const message = new messages.BatchAppendReq.ProposedMessage();
  message.setId(createUUID(event.id));
  message.getMetadataMap().set('type', event.type).set('content-type', 'application/json');
  message.setData(Buffer.from(event.data));
  message.setCustomMetadata(Buffer.from(toMetadataJson(event)));
  return message;
}

function fromBatchResponse(response: BatchAppendResp): BatchResponse {
  const success = response.getSuccess();
  const position = success?.getPosition();
  return {
    correlationId: parseUUID(response.getCorrelationId()),
    written:
      success?.hasCurrentRevision() && position
        ? {
            revision: Number(success.getCurrentRevision()),
            position: { commit: BigInt(position.getCommitPosition()), prepare: BigInt(position.getPreparePosition()) },
          }
        : null,
    isConflict: response.getError()?.getDetails()?.getTypeName() === 'event_store.client.WrongExpectedVersion',
  };
}

function open(connectionString: string): EventStoreDBClient {
  try {
    return EventStoreDBClient.connectionString(connectionString);
  } catch (error) {
    // The client's error contains the connection string with its password, so it is replaced.
    const reason =
      error instanceof Error && !('connectionString' in error)
        ? error.message
        : 'the value of an option cannot be read';
    throw new Error(`The event store's address cannot be used: ${reason}`);
  }
}
