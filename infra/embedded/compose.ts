import { createServer, type RequestListener } from 'node:http';
import path from 'node:path';
import type { Socket } from 'node:net';
import { createCommandApi } from '@alpenglow/command-api';
import {
  accountIdOf,
  createAdDirectory,
  createAuthentication,
  createCommandHandler,
  createDataKeys,
  createFileBlobStore,
  createInbox,
  createJobQueue,
  createMetrics,
  createPhotoDirectory,
  createPool,
  createPostgresEventStore,
  createReadModelProgress,
  createSessions,
  errorHandler,
  gauge,
  httpMetrics,
  loadSecrets,
  migrate,
  noSuchRoute,
  migrateJobs,
  openJobBackend,
  probes,
  requestContext,
  verificationCodes,
  withPersonalData,
  type Config,
  type Logger,
} from '@alpenglow/infra';
import { startProjectors, waitUntilCaughtUp } from '@alpenglow/projectors';
import { createQueryApi } from '@alpenglow/query-api';
import { createShellServer } from '@alpenglow/shell/server';
import { startWorkers } from '@alpenglow/workers';
import express from 'express';
import { seedDemo, seedHousePictures } from './seed/seed.ts';

export interface Product {
  /** Answers every HTTP request: the site, `/api`, `/uploads`, `/mf`, probes. */
  readonly handler: RequestListener;
  /** Starts listening; rejects when the port is taken. Answers the port, which matters when it was 0. */
  listen(): Promise<number>;
  /** Stops taking requests, finishes what is under way, and lets go of everything. Within 10 s. */
  stop(): Promise<void>;
}

export interface ComposeOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  /** The checkout: migrations and built files are found from here. */
  readonly rootDir: string;
  readonly version: string;
  readonly log: Logger;
  /** Told about each longer step, in words for the person who waits. */
  readonly progress: (step: string) => void;
}

const POOL_SIZE = 10;
/** Long enough to rebuild what a new version has changed. */
const CATCH_UP_ms = 10 * 60_000;
const DRAIN_ms = 5_000;
const SWEEP_ms = 60 * 60_000;

/** Composes every service into one process, brings the database up to date, seeds what is missing, and is ready to listen. */
export async function composeProduct({ config, databaseUrl, rootDir, version, log, progress }: ComposeOptions): Promise<Product> {
  progress('Migrating the database');
  await migrate(databaseUrl, { migrationsDir: path.join(rootDir, 'infra/migrations') });
  await migrateJobs(databaseUrl);

  const dataDir = path.resolve(rootDir, config.dataDir);
  const secrets = await loadSecrets(dataDir);
  const pool = createPool({ connectionString: databaseUrl, max: POOL_SIZE, applicationName: 'alpenglow', onError: (err) => log.warn({ err }, 'idle connection lost') });
  const metrics = createMetrics();

  const store = withPersonalData(createPostgresEventStore({ pool, connectionString: databaseUrl }), createDataKeys(pool, secrets.dataKeys));
  const blobs = await createFileBlobStore({ root: path.join(dataDir, 'blobs') });
  const commands = createCommandHandler(store);
  const sessions = createSessions(pool);
  const authentication = createAuthentication({ sessions, commands, adminEmail: config.adminEmail });
  const readModels = createReadModelProgress({ pool, connectionString: databaseUrl });
  const accountId = (email: string) => accountIdOf(secrets.accountIds, email);
  const codeOf = verificationCodes(secrets.verificationCodes);
  const jobBackend = await openJobBackend({ connectionString: databaseUrl });
  const jobs = createJobQueue(jobBackend);
  const isReady = async () => (await pool.query('select 1')).rowCount === 1;

  const projectors = startProjectors({ store, pool, connectionString: databaseUrl, jobs, log });
  const inbox = createInbox(pool);
  const workers = startWorkers({ backend: jobBackend, commands, blobs, photos: createPhotoDirectory(pool), mail: inbox, codeOf, log });

  await seedHousePictures({ commands, blobs });
  if (config.demo) await seedDemo({ commands, blobs, accountIdOf: accountId, onProgress: (done, of) => progress(`Seeding demo ads ${done}/${of}`) });
  progress('Bringing the read models up to date');
  await waitUntilCaughtUp(pool, await store.head(), AbortSignal.timeout(CATCH_UP_ms));

  const queries = createQueryApi({ pool, store, commands, blobs, progress: readModels, authentication, inbox: config.exposeVerificationCodes ? inbox : null, version, isReady, log });
  gauge(metrics, 'live_clients', 'Open WebSocket connections', () => queries.live.clients());
  gauge(metrics, 'postgres_pool_connections', 'Connections of the main pool', () => pool.totalCount);

  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.use(requestContext(log, httpMetrics(metrics)));
  app.use('/api', queries.api);
  app.use('/api', createCommandApi({ commands, blobs, sessions, authentication, ads: createAdDirectory(pool), accountIdOf: accountId, codeOf, adminEmail: config.adminEmail, exposeCodes: config.exposeVerificationCodes, log }));
  app.use('/api', noSuchRoute);
  app.use(queries.site);
  app.use(probes(metrics, isReady));
  app.use(createShellServer({ mfDir: path.resolve(rootDir, config.mfDir), distDir: path.join(rootDir, 'shell/dist'), log }));
  app.use(noSuchRoute);
  app.use(errorHandler(log));

  const server = createServer(app);
  server.on('upgrade', (req, socket: Socket, head) => {
    // Node lets go of an upgraded socket: unheard, its error would end the process.
    socket.on('error', () => socket.destroy());
    if (queries.live.upgrade(req, socket, head)) return;
    socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
    socket.destroySoon();
  });
  const sweep = setInterval(() => {
    Promise.all([sessions.sweep(), inbox.sweep()]).catch((err: unknown) => log.warn({ err }, 'what has expired could not be removed'));
  }, SWEEP_ms);
  sweep.unref();

  return {
    handler: app,
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(config.port, config.host, () => {
          server.off('error', reject);
          const address = server.address();
          resolve(typeof address === 'object' && address ? address.port : config.port);
        });
      }),
    async stop() {
      clearInterval(sweep);
      const drained = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await queries.live.stop();
      const cutOff = setTimeout(() => server.closeAllConnections(), DRAIN_ms);
      await drained;
      clearTimeout(cutOff);
      await queries.stop();
      await workers.stop();
      await projectors.stop();
      await readModels.close();
      await jobs.close();
      await jobBackend.close();
      await store.close();
      await pool.end();
    },
  };
}
