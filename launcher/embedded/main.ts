import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  awaitServices,
  createLogger,
  createResourceStack,
  readConfig,
  readVersion,
  type ResourceStack,
} from '@alpenglow/infra';
import { composeProduct } from './compose.ts';
import { startEmbeddedPostgres } from '../postgres/index.ts';

/** Time limit for the services to close their resources, after the time for active requests (FINISH_REQUESTS_MS). */
const CLOSE_SERVICES_LIMIT_ms = 2_500;
/**
 * Time limit for closing everything, including Postgres, after the time for active requests. With the default settings,
 * the shutdown takes at most 10 s.
 */
const CLOSE_LIMIT_ms = 6_000;

export interface LaunchOptions {
  env: NodeJS.ProcessEnv;
  /** The root of the checkout. */
  rootDir: string;
  /** Absolute path of the data folder, which the launcher has locked. */
  dataDir: string;
  progress: (step: string) => void;
  /** The maximum time to wait for a backing service that is not running yet. Default: 60 s. */
  startLimit_ms?: number;
  /** Called when the running product can no longer work. `reason` is a sentence for the user. */
  onFailure: (reason: string) => void;
}

export type LaunchedProduct = Awaited<ReturnType<typeof startProduct>>;

/** An error whose message is for the user. It is printed without a stack trace. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}

/**
 * Starts every service and listens for requests. Starts Postgres first if DATABASE_URL is not set. If `signal` aborts,
 * stops everything that was started and rejects. Throws `ConfigurationError`, `BackingServiceUnreachable` or
 * `LaunchError`.
 */
export async function startProduct(
  { env, rootDir, dataDir, progress, startLimit_ms, onFailure }: LaunchOptions,
  signal: AbortSignal,
) {
  const config = { ...readConfig(env), dataDir };
  const log = createLogger(config.logLevel);
  await checkPort(config.port, config.host);
  await awaitServices({
    config,
    dataDir,
    log,
    progress,
    signal,
    ...(startLimit_ms !== undefined && { limit_ms: startLimit_ms }),
  });

  const servicesStopLimit_ms = config.finishRequests_ms + CLOSE_SERVICES_LIMIT_ms;
  const stopFunctions: (() => Promise<void>)[] = [];
  let stopping = Promise.resolve();
  const stopAll = async (): Promise<void> => {
    for (let next = stopFunctions.pop(); next !== undefined; next = stopFunctions.pop()) await next();
  };
  // The calls of `stop` run one after the other. Each call stops everything that was started since the previous call.
  const stop = (): Promise<void> => (stopping = stopping.then(stopAll));
  const stopEarly = (): void => void stop();
  signal.addEventListener('abort', stopEarly);
  try {
    let { databaseUrl } = config;
    if (databaseUrl === null) {
      const postgres = await startEmbeddedPostgres({ dataDir, progress, onUnexpectedExit: onFailure });
      stopFunctions.push(() => {
        // Stopping Postgres breaks open connections, and each broken connection logs a warning. Warnings are therefore
        // turned off.
        log.level = 'error';
        return postgres.stop();
      });
      signal.throwIfAborted();
      databaseUrl = postgres.connectionString;
    }
    progress('Starting the services');
    // A start that fails or is aborted closes the opened resources first. The workers then end before Postgres.
    const closing = createResourceStack();
    const composing = composeProduct({
      closing,
      config,
      databaseUrl,
      rootDir,
      version: await readVersion(rootDir),
      log,
      progress,
    });
    stopFunctions.push(() => within(servicesStopLimit_ms, closeUnfinished(closing, composing)));
    const services = await composing;
    stopFunctions.push(() => within(servicesStopLimit_ms, services.stop()));
    signal.throwIfAborted();
    const port = await services.listen().catch((error: NodeJS.ErrnoException) => {
      throw new LaunchError(portErrorMessage(error, config.port, config.host), { cause: error });
    });
    return {
      url: `http://${browserHostOf(config.host)}:${port}`,
      stop,
      /** The time after which `stop` has failed. */
      stopLimit_ms: config.finishRequests_ms + CLOSE_LIMIT_ms,
    };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    signal.removeEventListener('abort', stopEarly);
  }
}

/** Closes the resources of a start. Resources that the start opens until it notices this are closed, too. */
async function closeUnfinished(closing: ResourceStack, composing: Promise<unknown>): Promise<void> {
  await closing.closeAll();
  await composing.catch(() => undefined);
  await closing.closeAll();
}

async function within(limit_ms: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, pause(limit_ms, undefined, { ref: false })]);
}

/**
 * Throws `LaunchError` if the port cannot be used. This check runs first, so that the user does not wait for the long
 * steps before the error.
 */
async function checkPort(port: number, host: string): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen(port, host, resolve);
    });
  } catch (error) {
    throw new LaunchError(portErrorMessage(error as NodeJS.ErrnoException, port, host), { cause: error });
  }
  await new Promise((resolve) => probe.close(resolve));
}

/** Returns the host name that a browser on this machine uses in the URL, such as `localhost`. */
function browserHostOf(host: string): string {
  const isLocal = ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(host);
  if (isLocal) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function portErrorMessage({ code, message }: NodeJS.ErrnoException, port: number, host: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return (
        `Port ${port} is in use. Stop the program that uses it, or choose another port: ` +
        `PORT=${port === 65_535 ? 8081 : port + 1} npm start`
      );
    case 'EACCES':
      return `Port ${port} may not be used by this user. Choose one above 1023: PORT=8080 npm start`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `HOST=${host} is not an address of this machine.`;
    default:
      return `Port ${port} on ${host} cannot be used: ${message}`;
  }
}
