import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '@alpenglow/domain';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { migrate } from '../adapters/postgres/migrate.ts';
import { createResourceStack, type ResourceStack } from './resource-stack.ts';
import { ConfigurationError, readConfig, type Config } from './config.ts';
import type { BackingServiceContext } from './backing-services.ts';
import { createErrorHandler, isTransient, rejectUnknownRoute } from '../http/errors.ts';
import { createFairQueue } from '../http/fair-queue.ts';
import { MAX_HEADERS, MAX_HEADERS_BEHIND_GATEWAY } from '../http/header-count.ts';
import { hasBody } from '../http/json-body.ts';
import { createProbes } from '../http/probes.ts';
import type { FailureSink } from '../http/request-context.ts';
import { closeServer, createApp, createHttpServer, startListening } from '../http/server.ts';
import { acceptUpgrades, type AcceptWebSocket } from '../http/upgrades.ts';
import { ROOT_DIR } from '../root-dir.ts';
import { describeOutage } from './describe-outage.ts';
import { registerDiskMetrics, writtenFolders } from './disk-metrics.ts';
import { createLogger, type Logger } from './logger.ts';
import { createMetrics, createHttpMetrics, type Metrics } from './metrics.ts';
import { startTracing } from '../tracing/tracing.ts';
import { waitUnlessAborted } from './polling-and-slots.ts';

interface ServiceContext extends BackingServiceContext {
  readonly metrics: Metrics;
  /** The root folder of the repository or of a container image. */
  readonly rootDir: string;
  readonly version: string;
  /** A signal that aborts when the process must stop, so that waiting code can return early. */
  readonly stopping: AbortSignal;
  /** A service with a database sets `record`, so that admins find the requests that failed. */
  readonly failureSink: FailureSink;
}

interface Service {
  /** Handles all requests except the probes `/healthz`, `/readyz` and `/metrics`. */
  readonly handler?: RequestHandler;
  /** Handles errors of requests, and passes on those that need no special response. */
  readonly handleError?: ErrorRequestHandler;
  readonly upgrade?: AcceptWebSocket;
  /** Returns true if the service can handle requests now. A rejection also means that it cannot. */
  readonly isReady: () => Promise<boolean>;
  /** Returns the names of the read models that are not current. `/readyz` lists them. Default: none. */
  readonly findNotCurrent?: () => Promise<readonly string[]>;
  /** Returns the names of the consumers of events that fail. `/readyz` lists them. Default: none. */
  readonly findFailing?: () => Promise<readonly string[]>;
  /** Closes connections that last longer than requests, such as WebSockets. Called first when the service stops. */
  readonly drain?: () => Promise<void>;
}

export interface ServiceDefinition {
  readonly name: string;
  /**
   * A requirement for the start of the service. `database`: the service needs a database and migrates its tables.
   * `upstreams`: the configuration must contain the URLs of the other services. `null`: the service needs neither.
   */
  readonly requires: 'database' | 'upstreams' | null;
  /**
   * True if the requests of visitors wait in a fair queue. The gateway only forwards requests, and the other
   * services receive only requests of services.
   */
  readonly hasFairQueue?: true;
  /** The beginning of the paths that only other services request. These requests do not wait in the queue. */
  readonly internalPath?: string;
  /**
   * Starts the service. The function is called again while a backing service, such as the database, cannot be reached.
   * It must register its resources with `context.onStop`.
   */
  readonly start: (context: ServiceContext) => Promise<Service>;
}

const FIRST_RETRY_ms = 250;
const LONGEST_RETRY_ms = 5_000;
/**
 * The time limit for closing all resources after the running requests have ended. With the default settings, stopping
 * the process takes at most 10 s in total.
 */
const STOP_LIMIT_ms = 3_800;
const UNAVAILABLE_RETRY_s = 1;

/**
 * Runs a service as a process. The process first serves only the probes, and starts the service when its backing
 * services respond. On SIGTERM or SIGINT, it reports that it is not ready. It still accepts requests until load
 * balancers have noticed this, completes the running requests, and then closes all resources. The process ends with
 * code 1 if the service cannot start or an error was not handled.
 */
export async function runService(definition: ServiceDefinition, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const { name } = definition;
  const config = loadConfig(definition, env);
  const log = createLogger(config.logLevel).child({ service: name });
  const metrics = createMetrics();
  registerDiskMetrics(metrics, writtenFolders(config, ROOT_DIR));
  const version = await readVersion(ROOT_DIR);
  const stopTracing = await startTracing(config, { service: name, version, log });
  const failureSink: FailureSink = { record: null };
  const stopping = new AbortController();
  const closing = createResourceStack();
  const running: { service: Service | null } = { service: null };

  const closeWhenStopping: RequestHandler = (req, res, next) => {
    // The header `Connection: close` prevents the client from using the connection for another request, which would
    // fail. The header is not set while a request body arrives, because the client could then stop reading the
    // response.
    if (stopping.signal.aborted && !hasBody(req)) res.setHeader('Connection', 'close');
    next();
  };
  const readiness = createProbes(
    { metrics, metricsToken: config.metricsToken },
    async () => !stopping.signal.aborted && running.service !== null && (await running.service.isReady()),
    async () => (await running.service?.findNotCurrent?.()) ?? [],
    async () => (await running.service?.findFailing?.()) ?? [],
  );
  const isBehindGateway = definition.requires !== 'upstreams';
  const maxHeaders = isBehindGateway ? MAX_HEADERS_BEHIND_GATEWAY : MAX_HEADERS;
  const queue = config.rateLimits && definition.hasFairQueue === true ? createFairQueue() : null;
  const app = createApp({
    trustedProxies: config.trustedProxies,
    log,
    metrics: createHttpMetrics(metrics),
    firstHandlers: [closeWhenStopping, readiness],
    maxHeaders,
    isBehindGateway,
    failureSink,
    ...(!config.rateLimits && { maxOpenBodies: Number.POSITIVE_INFINITY }),
    ...(queue && { queue }),
    ...(definition.internalPath !== undefined && { internalPath: definition.internalPath }),
  });
  app.use((req, res, next) => {
    const { service } = running;
    if (!service) throw new DomainError('UNAVAILABLE', {}, UNAVAILABLE_RETRY_s);
    // The promise of the handler is returned to Express, which handles its rejection.
    return service.handler ? service.handler(req, res, next) : next();
  });
  app.use(rejectUnknownRoute);
  const handleError: ErrorRequestHandler = (error, req, res, next) => {
    if (running.service?.handleError) void running.service.handleError(error, req, res, next);
    else next(error);
  };
  app.use(handleError);
  app.use(createErrorHandler(log));

  const server = createHttpServer(app);
  acceptUpgrades(server, {
    upgrade: (...handshake) => running.service?.upgrade?.(...handshake) === true,
    maxHeaders,
    ...(queue && { admission: { queue, trustedProxies: config.trustedProxies } }),
    rejectionStatus: () => (running.service ? '404 Not Found' : '503 Service Unavailable'),
  });

  const stop = (code: number, why: string): void => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    log.info({ why }, 'stopping');
    setTimeout(() => process.exit(code || 1), config.drainDelay_ms + config.finishRequests_ms + STOP_LIMIT_ms).unref();
    void stopService(server, () => running.service, closing, config, log)
      .then(stopTracing)
      .catch((err: unknown) => log.warn({ err }, 'not closed cleanly'))
      .then(() => process.exit(code));
  };
  process.on('SIGTERM', () => stop(0, 'SIGTERM'));
  process.on('SIGINT', () => stop(0, 'SIGINT'));
  // In a local cluster, a channel connects this process to the supervisor that has started it. If the supervisor ends,
  // this process stops itself, because no other process would stop it.
  process.once('disconnect', () => stop(0, 'its supervisor has ended'));
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, err instanceof ConfigurationError ? 'the configuration is invalid' : 'unforeseen error');
    stop(1, 'unforeseen error');
  });

  const port = await startListening(server, config);
  process.stdout.write(`${name} listens on port ${port}
`);
  try {
    const context: ServiceContext = {
      config,
      databaseUrl: config.databaseUrl ?? '',
      dataDir: path.resolve(ROOT_DIR, config.dataDir),
      rootDir: ROOT_DIR,
      version,
      log,
      metrics,
      stopping: stopping.signal,
      failureSink,
      onStop: (close) => closing.add(close),
    };
    running.service = await startThroughOutages(definition, context, closing);
    if (running.service) process.stdout.write(`${name} is ready\n`);
  } catch (err) {
    log.fatal({ err }, 'could not start');
    stop(1, 'could not start');
  }
}

function loadConfig({ name, requires }: ServiceDefinition, env: NodeJS.ProcessEnv): Config {
  try {
    const config = readConfig(env);
    if (requires === 'database' && config.databaseUrl === null)
      throw new ConfigurationError(`DATABASE_URL: is needed by ${name}`);
    if (requires === 'upstreams' && config.upstreams === null)
      throw new ConfigurationError(`COMMAND_API_URLS, QUERY_API_URLS, SHELL_URLS: are needed by ${name}`);
    return config;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(
      `${name} could not start. The configuration is wrong:\n${error.message.replace(/^/gmu, '  ')}\n`,
    );
    process.exit(1);
  }
}

/**
 * Starts the service. Retries while a backing service cannot be reached. Returns null if the process must stop before
 * the service has started. Throws permanent errors.
 */
async function startThroughOutages(
  { requires, start }: ServiceDefinition,
  context: ServiceContext,
  closing: ResourceStack,
): Promise<Service | null> {
  const { databaseUrl, log, stopping: signal } = context;
  let lastReason: string | null = null;
  for (let wait_ms = FIRST_RETRY_ms; !signal.aborted; wait_ms = Math.min(wait_ms * 2, LONGEST_RETRY_ms)) {
    try {
      if (requires === 'database')
        await migrate(databaseUrl, { migrationsDir: path.join(ROOT_DIR, 'infra/migrations') });
      const service = await start(context);
      // If the process was stopped during the start, some resources may have been opened after the others were closed.
      // These resources are closed here.
      if (signal.aborted) await closing.closeAll();
      return signal.aborted ? null : service;
    } catch (err) {
      await closing.closeAll();
      if (signal.aborted) return null;
      if (!isTransient(err)) throw err;
      const reason = describeOutage(err);
      if (reason !== lastReason) log.warn({ reason }, 'waiting for a backing service that cannot be reached');
      lastReason = reason;
      await waitUnlessAborted(wait_ms, signal);
    }
  }
  return null;
}

/** Returns the product's version from its package.json. */
export async function readVersion(rootDir: string): Promise<string> {
  const manifest = JSON.parse(await readFile(path.join(rootDir, 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}

async function stopService(
  server: Server,
  currentService: () => Service | null,
  closing: ResourceStack,
  { drainDelay_ms, finishRequests_ms }: Config,
  log: Logger,
): Promise<void> {
  await pause(drainDelay_ms);
  await closeServer(server, async () => currentService()?.drain?.(), finishRequests_ms);
  for (const err of await closing.closeAll()) log.warn({ err }, 'not closed cleanly');
}
