import type { Readable, ReadableOptions } from 'node:stream';
import type { Position } from '@alpenglow/domain';
import {
  BACKWARDS,
  EventStoreDBClient,
  FORWARDS,
  type AllStreamSubscription,
  type Direction,
  type Filter,
  type ReadPosition,
  type ReadRevision,
} from '@eventstore/db-client';
import { parseUUID } from '@eventstore/db-client/dist/utils/grpcUUID.js';
import messages, { type ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { Logger } from '../../service/logger.ts';
import { withinTime } from '../../service/polling-and-slots.ts';
import type { CheckedAppend } from '../event-store-input.ts';
import { toClientAddress } from './address.ts';
import { READY, SHUTDOWN, watchConnection, type Channel } from './connection-losses.ts';
import type { OwnEvents } from './envelope.ts';
import { EventStream, type ReadCall } from './event-stream.ts';
import { fromOffsets, type LogPosition } from './positions.ts';
import {
  createReadAllRequest,
  createReadStreamRequest,
  createSubscriptionRequest,
  type ReadRange,
} from './read-requests.ts';
import { StreamsClient, type BatchCall } from './streams-client.ts';
import { decodeConfirmation } from './wire-reader.ts';
import { encodeAppend } from './wire-writer.ts';

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
    options: { readonly requiresLeader?: boolean },
    callOptions: { readonly deadline: number },
  ) => readonly unknown[];
}

type ReadOptions = ReadRange & { readonly requiresLeader?: boolean };

type CreateStream = (grpcClient: Pick<StreamsClient, 'read' | 'batchAppend' | 'getChannel'>) => unknown;

interface HasChannel {
  getChannel(): Channel;
}
type Action = (grpcClient: HasChannel) => Promise<unknown>;

/** The maximum time that `close` waits for the end of canceled calls. */
const DISPOSE_ms = 1_000;

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
  Object.assign(client, DECODED_READS);

  log.debug({ hosts }, 'event store');
  return {
    client,
    /** Ends the pending requests and closes the connection. */
    async close(): Promise<void> {
      // The client's `dispose` ends the calls but leaves the connection open, so the connection is closed here, even if
      // a call does not end.
      await withinTime(client.dispose(), DISPOSE_ms, () => new Error('Some calls have not ended')).catch(
        () => undefined,
      );
      const channel = await internals.getChannel();
      channel.close();
    },
  };
}

/** Starts a read with `request`. Its events are decoded by `EventStream`. */
function startRead(
  internals: ClientInternals,
  name: string,
  request: ReadReq,
  { options, buffer }: { readonly options: ReadOptions; readonly buffer: ReadableOptions | undefined },
): EventStream {
  let isConnectionLost = (): boolean => false;
  const create = internals.GRPCStreamCreator(StreamsClient, name, (grpcClient) => {
    isConnectionLost = watchConnection(grpcClient.getChannel());
    return grpcClient.read(request, ...internals.callArguments(options, { deadline: Infinity }));
  });
  return new EventStream(create() as Promise<ReadCall>, buffer ?? {}, () => isConnectionLost());
}

/**
 * Replaces methods of the client. They send the same requests, but decode the events with less processor time. Their
 * events have the type `ReceivedEvent`.
 */
const DECODED_READS = {
  readAll(
    this: ClientInternals,
    { fromPosition = 'start', ...options }: ReadOptions & { readonly fromPosition?: ReadPosition } = {},
    buffer?: ReadableOptions,
  ): EventStream {
    return startRead(this, 'readAll', createReadAllRequest(fromPosition, options), { options, buffer });
  },
  readStream(
    this: ClientInternals,
    stream: string,
    { fromRevision = 'start', ...options }: ReadOptions & { readonly fromRevision?: ReadRevision } = {},
    buffer?: ReadableOptions,
  ): EventStream {
    const request = createReadStreamRequest(stream, fromRevision, options);
    return startRead(this, 'readStream', request, { options, buffer });
  },
  subscribeToAll(
    this: ClientInternals,
    {
      fromPosition = 'start',
      filter,
      ...options
    }: ReadOptions & { readonly fromPosition?: ReadPosition; readonly filter?: Filter } = {},
    buffer?: ReadableOptions,
  ): EventStream {
    return startRead(this, 'subscribeToAll', createSubscriptionRequest(fromPosition, filter), { options, buffer });
  },
};

interface FilteredRead {
  readonly fromPosition: ReadPosition;
  readonly filter: Filter;
  /** The maximum number of events that match the filter. */
  readonly maxCount: number;
  readonly requiresLeader: boolean;
  /** Default: forwards. */
  readonly direction?: Direction;
}

/** The number with which the protocol names a read backwards. */
const BACKWARDS_NUMBER = 1;

/**
 * Reads the events of all streams that match a filter, from a position to the end or the start of the log. The server
 * searches the log. The client has no method for this request. It differs from the request of a filtered subscription
 * only in two fields: it has a number of events instead of a subscription, and a direction.
 */
export function readFiltered(
  client: EventStoreDBClient,
  { maxCount, direction = FORWARDS, ...options }: FilteredRead,
  buffer: ReadableOptions,
): Readable & { cancel(): Promise<void> } {
  const internals = client as unknown as ClientInternals;
  const createReadStream: ClientInternals['GRPCStreamCreator'] = (type, debugName, create, cache) =>
    internals.GRPCStreamCreator(
      type,
      debugName,
      (grpcClient) =>
        create({
          ...grpcClient,
          getChannel: () => grpcClient.getChannel(),
          read(request, ...rest) {
            request.getOptions()?.setCount(String(maxCount));
            if (direction === BACKWARDS) request.getOptions()?.setReadDirection(BACKWARDS_NUMBER);
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
  readonly written: { readonly revision: number; readonly position: LogPosition | Position | undefined } | null;
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
  own: Pick<OwnEvents, 'toServerStream' | 'toMetadataJson'>,
): Promise<OpenBatchCall> {
  const internals = client as unknown as ClientInternals;
  let channel: ReturnType<HasChannel['getChannel']> | undefined;
  const create = internals.GRPCStreamCreator(StreamsClient, 'appendToStream', (grpcClient) => {
    channel = grpcClient.getChannel();
    const created = grpcClient.batchAppend(
      ...internals.callArguments({ requiresLeader: true }, { deadline: Infinity }),
    );
    // The listeners stay, because an error without a listener ends the process.
    return created
      .on('data', (response: Buffer) => {
        try {
          onResponse(toBatchResponse(response));
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
    send(correlationId, { stream, events }, after) {
      const append = { correlationId, stream: own.toServerStream(stream), events, after };
      call.write(encodeAppend(append, own.toMetadataJson));
    },
    cancel() {
      call.cancel();
      call.destroy();
    },
  };
}

/** Decodes a response of a batch call. */
function toBatchResponse(bytes: Buffer): BatchResponse {
  const confirmed = decodeConfirmation(bytes);
  if (confirmed !== null) {
    const { correlationId, revision, commit, prepare } = confirmed;
    return { correlationId, written: { revision, position: fromOffsets(commit, prepare) }, isConflict: false };
  }
  const response = messages.BatchAppendResp.deserializeBinary(bytes);
  return {
    correlationId: parseUUID(response.getCorrelationId()),
    written: null,
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
