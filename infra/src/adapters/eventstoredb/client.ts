import type { Readable, ReadableOptions } from 'node:stream';
import { EventStoreDBClient, type AllStreamSubscription, type Filter, type ReadPosition } from '@eventstore/db-client';
import type { Logger } from '../../service/logger.ts';
import { toClientAddress } from './address.ts';

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
}

interface GrpcReader {
  read(request: { getOptions(): { setCount(count: string): void } }, ...rest: unknown[]): unknown;
}
type CreateStream = (grpcClient: GrpcReader) => unknown;

type Action = (grpcClient: {
  getChannel(): { getConnectivityState(tryToConnect: boolean): number };
}) => Promise<unknown>;

/** The number with which gRPC reports a closed connection. */
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

  // Every append is sent as a separate call. The client's default is one long-lived call for all appends, which has
  // three problems. It shares the pending appends between all clients of the process. It throws in an event handler if
  // a response arrives after the connection broke. Its check of the server's features fails permanently after the
  // search for a server has failed once.
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
