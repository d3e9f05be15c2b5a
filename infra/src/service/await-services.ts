import type { StreamId } from '@alpenglow/domain';
import type { BackingServiceContext } from './backing-services.ts';
import { openBlobStore } from './backing-services.ts';
import { sqlStateOf } from '../adapters/postgres/errors.ts';
import { withClient } from '../adapters/postgres/pool.ts';
import { isTransient } from '../http/errors.ts';
import { describeOutage } from './describe-outage.ts';
import { createResourceStack, type ResourceStack } from './resource-stack.ts';
import { unlessAborted, waitUnlessAborted } from './polling-and-slots.ts';

/** A backing service that is required for the start cannot be reached. The message is a sentence for the operator. */
class BackingServiceUnreachable extends Error {
  override readonly name = 'BackingServiceUnreachable';
}

export interface AwaitOptions extends Pick<BackingServiceContext, 'config' | 'dataDir' | 'log'> {
  /** The maximum time to wait for each service. Default: 60 s. */
  readonly limit_ms?: number;
  /** Called with a message for the user before the check of a service, and when the wait for it begins. */
  readonly progress: (step: string) => void;
  readonly signal: AbortSignal;
}

interface RequiredService {
  readonly name: string;
  /** The host and port of the service, without credentials. */
  readonly address: string;
  /** The variable that contains the address. */
  readonly variable: string;
  readonly check: (closing: ResourceStack) => Promise<unknown>;
}

const LIMIT_ms = 60_000;
const WAIT_ms = 1_000;
/** The stream whose first event is read to check that the event store can be reached. It need not exist. */
const REACHABILITY_STREAM = 'installation-start' as StreamId;
/** Matches the reason of a rejected certificate. Waiting does not help against it. */
const CERTIFICATE = /certificate/iu;

/**
 * Waits until Postgres, the event store and S3 can be reached, as far as the configuration contains their addresses. A
 * service may be starting at the same time, for example in Docker Compose. Other services are not required for the
 * start. Rejects with `BackingServiceUnreachable` if a service cannot be reached in time, or with the error of the
 * service if it rejects the connection. Rejects if `signal` aborts.
 */
export async function awaitServices(options: AwaitOptions): Promise<void> {
  for (const service of listRequired(options)) await awaitService(service, options);
}

function listRequired({ config, dataDir, log }: AwaitOptions): readonly RequiredService[] {
  const { databaseUrl, eventStoreUrl, eventStoreStreamPrefix, s3 } = config;
  return [
    ...(databaseUrl === null
      ? []
      : [
          {
            name: 'Postgres',
            address: hostOf(databaseUrl),
            variable: 'DATABASE_URL',
            check: () =>
              withClient({ connectionString: databaseUrl, applicationName: 'alpenglow-start' }, (client) =>
                client.query('select 1'),
              ),
          },
        ]),
    ...(eventStoreUrl === null
      ? []
      : [
          {
            name: 'The event store',
            address: hostOf(eventStoreUrl),
            variable: 'EVENTSTORE_URL',
            check: async (closing: ResourceStack) => {
              const { openEventStoreDb } = await import('../adapters/eventstoredb/event-store.ts');
              const store = await openEventStoreDb(eventStoreUrl, { log, streamPrefix: eventStoreStreamPrefix });
              closing.add(() => store.close());
              // The end of the log is not searched, because this takes long after many events of other applications.
              await store.readStream(REACHABILITY_STREAM, { limit: 1 });
            },
          },
        ]),
    ...(s3 === null
      ? []
      : [
          {
            name: 'S3',
            address: hostOf(s3.endpoint),
            variable: 'S3_ENDPOINT',
            check: (closing: ResourceStack) =>
              openBlobStore({ config, dataDir, log, onStop: closing.add }, { isNeeded: true }),
          },
        ]),
  ];
}

async function awaitService(
  { name, address, variable, check }: RequiredService,
  { progress, signal, limit_ms = LIMIT_ms }: AwaitOptions,
): Promise<void> {
  const nameInSentence = name.replace(/^The/u, 'the');
  progress(`Connecting to ${nameInSentence} at ${address}`);
  const deadline = Date.now() + limit_ms;
  for (let isFirst = true; ; isFirst = false) {
    signal.throwIfAborted();
    const closing = createResourceStack();
    try {
      await unlessAborted(check(closing), signal);
      signal.throwIfAborted();
      return;
    } catch (error) {
      signal.throwIfAborted();
      const reason = describeOutage(error);
      if (sqlStateOf(error) !== null && !isTransient(error))
        throw new BackingServiceUnreachable(
          `${name} at ${address} rejects the connection: ${reason}. Check ${variable}.`,
          { cause: error },
        );
      if (!isTransient(error)) throw error;
      const isFinal = CERTIFICATE.test(reason);
      if (isFirst && !isFinal) progress(`Waiting for ${nameInSentence} at ${address} (${reason})`);
      if (isFinal || Date.now() + WAIT_ms > deadline)
        throw new BackingServiceUnreachable(
          `${name} at ${address} cannot be reached: ${reason}. Check that it is running and that ${variable} is right.`,
          { cause: error },
        );
    } finally {
      await closing.closeAll();
    }
    await waitUnlessAborted(WAIT_ms, signal);
  }
}

/** Returns the host and port of a URL, or the hosts of an event store, without user and password. */
function hostOf(url: string): string {
  return /^[^:]+:\/\/(?:[^/?#]*@)?([^/?#]+)/u.exec(url)?.[1] ?? 'its address';
}
