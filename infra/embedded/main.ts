import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger, readConfig, readVersion } from '../src/index.ts';
import { composeProduct } from './compose.ts';
import { startEmbeddedPostgres } from './postgres.ts';

/** The services get this long to finish what they do; Postgres has the rest of the 10 s of a clean shutdown. */
const SERVICES_STOP_LIMIT_MS = 6_500;

export interface LaunchOptions {
  env: NodeJS.ProcessEnv;
  /** The checkout. */
  rootDir: string;
  /** Absolute; the launcher has locked it. */
  dataDir: string;
  progress: (step: string) => void;
  /** Called when a running product can no longer serve, with a sentence that says why. */
  onFailure: (reason: string) => void;
}

export interface LaunchedProduct {
  url: string;
  stop(): Promise<void>;
}

/** A fault whose message is for the person at the terminal, without a stack. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}

/**
 * Starts Postgres (unless DATABASE_URL names one) and every service, and listens. When `signal` aborts, what was
 * started is stopped and the promise rejects. Throws `ConfigurationError` or `LaunchError`.
 */
export async function startProduct(
  { env, rootDir, dataDir, progress, onFailure }: LaunchOptions,
  signal: AbortSignal,
): Promise<LaunchedProduct> {
  const config = { ...readConfig(env), dataDir };
  const log = createLogger(config.logLevel);
  await checkPort(config.port, config.host);

  const stops: (() => Promise<void>)[] = [];
  let stopping = Promise.resolve();
  const stopAll = async (): Promise<void> => {
    for (let next = stops.pop(); next !== undefined; next = stops.pop()) await next();
  };
  // Each call waits for the one before, then stops what was started meanwhile.
  const stop = (): Promise<void> => (stopping = stopping.then(stopAll));
  const stopEarly = (): void => void stop();
  signal.addEventListener('abort', stopEarly);
  try {
    let { databaseUrl } = config;
    if (databaseUrl === null) {
      const postgres = await startEmbeddedPostgres({ dataDir, progress, onUnexpectedExit: onFailure });
      stops.push(() => {
        // Connections that end together with their server are no news now.
        log.level = 'error';
        return postgres.stop();
      });
      signal.throwIfAborted();
      databaseUrl = postgres.connectionString;
    }
    progress('Starting the services');
    const services = await composeProduct({
      config,
      databaseUrl,
      rootDir,
      version: await readVersion(rootDir),
      log,
      progress,
    });
    stops.push(() => within(SERVICES_STOP_LIMIT_MS, services.stop()));
    signal.throwIfAborted();
    const port = await services.listen().catch((error: NodeJS.ErrnoException) => {
      throw new LaunchError(portFault(error, config.port, config.host), { cause: error });
    });
    return { url: `http://${nameOf(config.host)}:${port}`, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    signal.removeEventListener('abort', stopEarly);
  }
}

async function within(limit_ms: number, work: Promise<void>): Promise<void> {
  await Promise.race([work, pause(limit_ms, undefined, { ref: false })]);
}

/** Finds out before the long steps whether the port can be had. */
async function checkPort(port: number, host: string): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen(port, host, resolve);
    });
  } catch (error) {
    throw new LaunchError(portFault(error as NodeJS.ErrnoException, port, host), { cause: error });
  }
  await new Promise((resolve) => probe.close(resolve));
}

/** What a browser on this machine is to be sent to. */
function nameOf(host: string): string {
  const isLocal = ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(host);
  if (isLocal) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function portFault({ code, message }: NodeJS.ErrnoException, port: number, host: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use. Stop what uses it, or choose another: PORT=${port === 65_535 ? 8081 : port + 1} npm start`;
    case 'EACCES':
      return `Port ${port} may not be used by this user. Choose one above 1023: PORT=8080 npm start`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `HOST=${host} is no address of this machine.`;
    default:
      return `Port ${port} on ${host} cannot be used: ${message}`;
  }
}
