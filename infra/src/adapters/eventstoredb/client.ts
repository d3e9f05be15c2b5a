import { EventStoreDBClient } from '@eventstore/db-client';
import type { Logger } from '../../logger.ts';
import { toClientAddress } from './address.ts';

/** Parts of the client that it keeps from its callers. A test holds them against the installed version. */
interface ClientInternals {
  execute: (grpcClient: unknown, debugName: string, action: Action) => Promise<unknown>;
  supports: () => Promise<boolean>;
  handleError: (grpcClient: unknown, error: Error) => Promise<void>;
  getChannel: () => Promise<{ close(): void }>;
}

type Action = (grpcClient: {
  getChannel(): { getConnectivityState(tryToConnect: boolean): number };
}) => Promise<unknown>;

/** gRPC's number for a channel that was closed. */
const SHUTDOWN = 4;

export interface Connection {
  readonly client: EventStoreDBClient;
  /** Ends what is under way on it. */
  close(): Promise<void>;
}

/**
 * A client for the store at `url`. It connects when it is first used, and anew after a broken connection or to another leader.
 * Four traits of the client that would end the process or never heal are taken out (decision 0018).
 */
export function connect(url: string, log: Logger): Connection {
  const { connectionString, hosts, ignoredOptions } = toClientAddress(url);
  if (ignoredOptions.length > 0)
    log.warn({ options: ignoredOptions }, 'options of EVENTSTORE_URL that mean nothing here are ignored');
  const client = open(connectionString);
  const internals = client as unknown as ClientInternals;

  // Appends go out one by one. The client's other way, one long call for all, keeps the waiting appends of all clients of the process in
  // one place, throws out of an event handler when an answer arrives after any of their connections broke, and asks the server
  // what it can in a way that, failed once while a cluster is searched for, stays failed.
  internals.supports = () => Promise.resolve(false);
  // It waits for a connection that somebody else is making; where that fails, nobody would catch it.
  const handleError = internals.handleError;
  internals.handleError = (grpcClient, error) => handleError(grpcClient, error).catch(() => undefined);

  // It may hand a connection that it has closed meanwhile to a call. An append on one throws where nobody would catch it.
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
    async close() {
      await client.dispose();
      // The client ends its calls but never its connection.
      const channel = await internals.getChannel();
      channel.close();
    },
  };
}

function open(connectionString: string): EventStoreDBClient {
  try {
    return EventStoreDBClient.connectionString(connectionString);
  } catch (error) {
    // The client's own error for a string it cannot read carries that string, with its password.
    const reason =
      error instanceof Error && !('connectionString' in error)
        ? error.message
        : 'the value of an option cannot be read';
    throw new Error(`The event store's address cannot be used: ${reason}`);
  }
}
