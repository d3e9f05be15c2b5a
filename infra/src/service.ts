import { readFile } from 'node:fs/promises';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '@alpenglow/domain';
import type { RequestHandler } from 'express';
import { migrate } from './adapters/postgres/migrate.ts';
import { createClosing, type Closing } from './closing.ts';
import { ConfigurationError, readConfig, type Config } from './config.ts';
import type { EngineContext } from './engines.ts';
import { errorHandler, isPassing, noSuchRoute } from './http/errors.ts';
import { probes } from './http/probes.ts';
import { createApp, createHttpServer } from './http/server.ts';
import { acceptUpgrades } from './http/upgrades.ts';
import { createLogger, type Logger } from './logger.ts';
import { createMetrics, httpMetrics, type Metrics } from './metrics.ts';

export interface ServiceContext extends EngineContext {
  readonly metrics: Metrics;
  /** The checkout, or what a deployment has of it. */
  readonly rootDir: string;
  readonly version: string;
  /** Aborts when the process is told to stop: what waits for something need not wait on. */
  readonly stopping: AbortSignal;
}

/** What a service does once it has started. */
export interface Service {
  /** Answers what is not a probe. */
  readonly handler?: RequestHandler;
  /** Takes a connection over, or answers false. */
  readonly upgrade?: (req: IncomingMessage, socket: Socket, head: Buffer) => boolean;
  /** Rejects or answers false when the service cannot do its work now. */
  readonly isReady: () => Promise<boolean>;
  /** Ends what would outlast the requests under way, such as open channels. Called first when the service stops. */
  readonly drain?: () => Promise<void>;
}

export interface ServiceDefinition {
  readonly name: string;
  /** What it cannot do without. With `database`, the tables are brought up to date before it starts. */
  readonly needs: 'database' | 'upstreams' | null;
  /** False keeps `/metrics` from whoever reaches the service. True unless told. */
  readonly hasMetrics?: boolean;
  /** Starts the service; tried again while an engine cannot be reached. What it opens it hands to `context.onStop`. */
  readonly start: (context: ServiceContext) => Promise<Service>;
}

/** Sources and bundle alike lie two folders below it. */
const ROOT = path.resolve(import.meta.dirname, '../..');
const FIRST_RETRY_ms = 250;
const LONGEST_RETRY_ms = 5_000;
/** Letting go of everything takes no longer than this, once requests have been finished: with the usual times for both, a stop takes 10 s at most. */
const STOP_LIMIT_ms = 3_800;
const UNAVAILABLE_RETRY_s = 1;

/**
 * Runs a service as a process: listens at once with the probes, starts the service as soon as its engines answer, and stops on SIGTERM
 * or SIGINT: first it says that it is not ready, then takes requests for as long as it may take others to hear of that, then finishes
 * those under way and lets go of everything. Ends the process with 1 when the service cannot start or an error went unhandled.
 */
export async function runService(definition: ServiceDefinition, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const { name, hasMetrics = true } = definition;
  const config = configure(definition, env);
  const log = createLogger(config.logLevel).child({ service: name });
  const metrics = createMetrics();
  const stopping = new AbortController();
  const closing = createClosing();
  const running: { service: Service | null } = { service: null };

  const leaveWhenStopping: RequestHandler = (req, res, next) => {
    // Whoever keeps this connection would find it closed the next time. Not while a body is on its way: its sender may not read on then.
    if (
      stopping.signal.aborted &&
      Number(req.headers['content-length'] ?? 0) === 0 &&
      req.headers['transfer-encoding'] === undefined
    )
      res.setHeader('Connection', 'close');
    next();
  };
  const readiness = probes(
    hasMetrics ? metrics : null,
    async () => !stopping.signal.aborted && running.service !== null && (await running.service.isReady()),
  );
  const app = createApp({
    trustedProxies: config.trustedProxies,
    log,
    metrics: httpMetrics(metrics),
    first: [leaveWhenStopping, readiness],
  });
  app.use((req, res, next) => {
    const { service } = running;
    if (!service) throw new DomainError('UNAVAILABLE', {}, UNAVAILABLE_RETRY_s);
    // Express answers what the handler rejects with.
    return service.handler ? service.handler(req, res, next) : next();
  });
  app.use(noSuchRoute);
  app.use(errorHandler(log));

  const server = createHttpServer(app);
  acceptUpgrades(server, {
    upgrade: (req, socket, head) => running.service?.upgrade?.(req, socket, head) === true,
    refusal: () => (running.service ? '404 Not Found' : '503 Service Unavailable'),
  });

  const stop = (code: number, why: string): void => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    log.info({ why }, 'stopping');
    setTimeout(() => process.exit(code || 1), config.drainDelay_ms + config.finishRequests_ms + STOP_LIMIT_ms).unref();
    void stopService(server, () => running.service, closing, config, log).then(() => process.exit(code));
  };
  process.on('SIGTERM', () => stop(0, 'SIGTERM'));
  process.on('SIGINT', () => stop(0, 'SIGINT'));
  // The supervisor of a local cluster holds the other end: without it, nobody would ever stop this process.
  process.once('disconnect', () => stop(0, 'its supervisor is gone'));
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, err instanceof ConfigurationError ? 'the configuration is wrong' : 'unforeseen error');
    stop(1, 'unforeseen error');
  });

  await listen(server, config);
  const address = server.address();
  process.stdout.write(
    `${name} listens on port ${typeof address === 'object' && address ? address.port : config.port}\n`,
  );
  try {
    running.service = await startThroughOutages(definition, { config, log, metrics, closing, signal: stopping.signal });
    if (running.service) process.stdout.write(`${name} is ready\n`);
  } catch (err) {
    log.fatal({ err }, 'could not start');
    stop(1, 'could not start');
  }
}

function configure({ name, needs }: ServiceDefinition, env: NodeJS.ProcessEnv): Config {
  try {
    const config = readConfig(env);
    if (needs === 'database' && config.databaseUrl === null)
      throw new ConfigurationError(`DATABASE_URL: is needed by ${name}`);
    if (needs === 'upstreams' && config.upstreams === null)
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

interface Starting {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly closing: Closing;
  readonly signal: AbortSignal;
}

/** The started service; null when it is told to stop before. Throws what no waiting mends. */
async function startThroughOutages(
  { needs, start }: ServiceDefinition,
  { config, log, metrics, closing, signal }: Starting,
): Promise<Service | null> {
  const databaseUrl = config.databaseUrl ?? '';
  const context: ServiceContext = {
    config,
    databaseUrl,
    dataDir: path.resolve(ROOT, config.dataDir),
    rootDir: ROOT,
    version: await readVersion(ROOT),
    log,
    metrics,
    stopping: signal,
    onStop: (close) => closing.add(close),
  };
  for (let wait_ms = FIRST_RETRY_ms; !signal.aborted; wait_ms = Math.min(wait_ms * 2, LONGEST_RETRY_ms)) {
    try {
      if (needs === 'database') await migrate(databaseUrl, { migrationsDir: path.join(ROOT, 'infra/migrations') });
      const service = await start(context);
      // Told to stop meanwhile: what was closed already has not seen what was opened since.
      if (signal.aborted) await closing.closeAll();
      return signal.aborted ? null : service;
    } catch (err) {
      await closing.closeAll();
      if (!isPassing(err)) throw err;
      log.warn({ err }, 'an engine cannot be reached, trying again');
      await pause(wait_ms, undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
}

/** The product's version, as its manifest says. */
export async function readVersion(rootDir: string): Promise<string> {
  const manifest = JSON.parse(await readFile(path.join(rootDir, 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}

async function listen(server: Server, { port, host }: Config): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function stopService(
  server: Server,
  serviceNow: () => Service | null,
  closing: Closing,
  { drainDelay_ms, finishRequests_ms }: Config,
  log: Logger,
): Promise<void> {
  await pause(drainDelay_ms);
  const drained = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  await serviceNow()?.drain?.();
  const cutOff = setTimeout(() => server.closeAllConnections(), finishRequests_ms);
  await drained;
  clearTimeout(cutOff);
  for (const err of await closing.closeAll()) log.warn({ err }, 'not closed cleanly');
}
