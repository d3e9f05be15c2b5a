import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { EventStoreUnavailable, type EventStore, type JobInspector } from '@alpenglow/domain';
import {
  createApp,
  createCommandHandler,
  createErrorHandler,
  createHttpMetrics,
  createLogger,
  createMetrics,
  createReadModelProgress,
  createRequestGuards,
  openBlobStore,
  openCore,
  openDecoder,
  openRequestStorage,
  readConfig,
  type ReplayDirectory,
} from '@alpenglow/infra';
import { openCommandApi } from '@alpenglow/command-api';
import { createResourceStack } from '../../infra/src/service/resource-stack.ts';
import { WAIT_POSITION_IN_TESTS_ms } from './max-wait.ts';
import type { TestProduct } from './product.ts';

/**
 * The failure of an append. `response lost` writes the events, but the service receives an error. `not written` writes
 * nothing.
 */
export type AppendFailure = 'response lost' | 'not written';

export interface UnreliableService {
  /** URL of the form `http://127.0.0.1:port`. */
  readonly url: string;
  /**
   * Makes appends of the request with this id fail, from the append with the number `from` on. The first append has the
   * number 1.
   */
  failAppends(requestId: string, failure: AppendFailure, from: number): void;
  /** Returns the number of appends of the request with this id, including those that failed. */
  countAppends(requestId: string): number;
  /** Returns true if the request with this id has written an event. */
  hasWritten(requestId: string): boolean;
  stop(): Promise<void>;
}

/**
 * Starts a second command service on the data of a product. Appends to its event store can fail. `inspector` and
 * `replays` replace the state of the job queue and of the rebuilds.
 */
export async function startUnreliableService(
  product: TestProduct,
  { inspector, replays }: { readonly inspector: JobInspector; readonly replays: ReplayDirectory },
): Promise<UnreliableService> {
  const closing = createResourceStack();
  const log = createLogger('silent');
  const config = {
    ...readConfig({ DEMO: 'off', PORT: '0' }),
    adminEmail: 'admin@example.com',
    staffTwoStep: false,
    dataDir: product.dataDir,
  };
  const context = {
    config,
    databaseUrl: product.databaseUrl,
    dataDir: product.dataDir,
    log,
    onStop: closing.add,
  };
  const core = await openCore(context);
  const failures = new Map<string, { readonly failure: AppendFailure; readonly from: number }>();
  const appends = new Map<string, Set<string>>();
  const writers = new Set<string>();
  const store: EventStore = {
    ...core.store,
    async append(stream, events, options) {
      const [first] = events;
      const requestId = first?.meta.correlationId ?? '';
      const counted = appends.get(requestId) ?? new Set();
      appends.set(requestId, counted.add(first?.id ?? ''));
      const failing = failures.get(requestId);
      const isFailing = failing !== undefined && counted.size >= failing.from;
      if (isFailing && failing.failure === 'not written') throw new EventStoreUnavailable('Not written');
      const appended = await core.store.append(stream, events, options);
      writers.add(requestId);
      if (isFailing) throw new EventStoreUnavailable('The response is lost');
      return appended;
    },
  };
  const commands = createCommandHandler(store);
  const progress = createReadModelProgress({
    pool: core.pool,
    connectionString: product.databaseUrl,
    limit_ms: WAIT_POSITION_IN_TESTS_ms,
  });
  closing.add(() => progress.close());
  const { storedResponses } = await openRequestStorage(
    { ...context, config: { ...config, rateLimits: false } },
    core.pool,
  );
  const requests = await openRequestStorage(context, core.pool);
  const app = createApp({
    trustedProxies: 0,
    log,
    metrics: createHttpMetrics(createMetrics()),
    maxOpenBodies: Number.POSITIVE_INFINITY,
  });
  // No request is rejected because of its rate, but reports are counted.
  app.use(
    '/api',
    createRequestGuards({ ...core, storedResponses, counters: null, log, recordLimited: () => undefined }),
    openCommandApi(
      context,
      { core, blobs: await openBlobStore(context), decoder: openDecoder(context), inspector, progress, requests },
      { commands, replays, progress: { waitFor: () => Promise.resolve(true) } },
    ),
  );
  app.use(createErrorHandler(log));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failAppends: (requestId, failure, from) => void failures.set(requestId, { failure, from }),
    hasWritten: (requestId) => writers.has(requestId),
    countAppends: (requestId) => appends.get(requestId)?.size ?? 0,
    async stop() {
      await new Promise((resolve) => server.close(resolve));
      await closing.closeAll();
    },
  };
}
