// @ts-check
/** Starts all backing services that this machine can run. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { BackingServiceUnavailable } from './engine.mjs';
import { createEventStoreDb } from './eventstoredb.mjs';
import { createKafka } from './kafka.mjs';
import { createPostgres } from './postgres.mjs';
import { createRedis } from './redis.mjs';
import { createS3 } from './s3.mjs';

/** @typedef {import('./engine.mjs').BackingService} BackingService */
/** @typedef {import('./eventstoredb.mjs').EventStoreDb} EventStoreDb */

const CREATORS = { postgres: createPostgres, redis: createRedis, kafka: createKafka, s3: createS3 };
/** @typedef {keyof typeof CREATORS} BackingServiceName */

/**
 * @typedef {object} BackingServices
 * @property {ReadonlyMap<BackingServiceName, BackingService>} running   all started backing services but EventStoreDB
 * @property {EventStoreDb | null} eventStoreDb   null if it was not started
 * @property {readonly string[]} missing   a line for each backing service that this machine cannot run
 * @property {Readonly<Record<string, string>>} env   environment variables that let services use the backing services
 * @property {() => Promise<void>} dispose   stops the backing services and removes their data
 */

/**
 * Starts the backing services that this machine can run, with their data in `dir`. Events are in EventStoreDB if there
 * is one: the server at `TEST_EVENTSTORE_URL`, or else an own server with `eventStoreNodes` nodes. On the server at
 * `TEST_EVENTSTORE_URL`, the streams have a new prefix, so that earlier events do not matter. With 0 nodes, events are
 * in Postgres.
 * @param {{ dir: string, onStep?: (step: string) => void, eventStoreNodes?: number }} options
 * @returns {Promise<BackingServices>}
 */
export async function startBackingServices({ dir, onStep = () => undefined, eventStoreNodes = 1 }) {
  /** @type {Map<BackingServiceName, BackingService>} */
  const running = new Map();
  const eventStore = { started: /** @type {EventStoreDb | null} */ (null) };
  /** @type {string[]} */
  const missing = [];
  const dispose = async () => {
    const all = [...running.values(), ...(eventStore.started ? [eventStore.started] : [])];
    await Promise.all(all.map((service) => service.dispose()));
  };
  /** Calls `start`, and records a backing service that this machine cannot run. */
  const tryToStart = async (/** @type {string} */ name, /** @type {() => Promise<void>} */ start) => {
    onStep(`Starting ${name}`);
    try {
      await start();
    } catch (error) {
      if (!(error instanceof BackingServiceUnavailable)) throw error;
      missing.push(error.message);
    }
  };
  const address = eventStoreNodes === 0 ? undefined : process.env['TEST_EVENTSTORE_URL'];
  try {
    for (const [name, create] of /** @type {[BackingServiceName, typeof createKafka][]} */ (Object.entries(CREATORS)))
      await tryToStart(name, async () => {
        const service = await create({ dir: path.join(dir, name) });
        running.set(name, service);
        await service.start();
      });
    if (eventStoreNodes > 0 && address === undefined)
      await tryToStart('eventstoredb', async () => {
        eventStore.started = await createEventStoreDb({ dir: path.join(dir, 'eventstoredb'), size: eventStoreNodes });
        await eventStore.started.start();
      });
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    running,
    eventStoreDb: eventStore.started,
    missing,
    env: Object.assign(
      {},
      ...[...running.values()].map(({ env }) => env),
      eventStore.started?.env,
      address === undefined ? {} : { EVENTSTORE_URL: address, EVENTSTORE_STREAM_PREFIX: `test-${randomUUID()}-` },
    ),
    dispose,
  };
}
