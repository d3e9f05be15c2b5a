// @ts-check
/** Starts all backing services that this machine can run. */
import path from 'node:path';
import { BackingServiceUnavailable } from './engine.mjs';
import { createKafka } from './kafka.mjs';
import { createPostgres } from './postgres.mjs';
import { createRedis } from './redis.mjs';
import { createS3 } from './s3.mjs';

/** @typedef {import('./engine.mjs').BackingService} BackingService */

const CREATORS = { postgres: createPostgres, redis: createRedis, kafka: createKafka, s3: createS3 };
/** @typedef {keyof typeof CREATORS} BackingServiceName */

/**
 * @typedef {object} BackingServices
 * @property {ReadonlyMap<BackingServiceName, BackingService>} running
 * @property {readonly string[]} missing   a line for each backing service that this machine cannot run
 * @property {Readonly<Record<string, string>>} env   environment variables that let services use the backing services
 * @property {() => Promise<void>} dispose   stops the backing services and removes their data
 */

/**
 * Starts the backing services that this machine can run, with their data in `dir`.
 * @param {{ dir: string, onStep?: (step: string) => void }} options
 * @returns {Promise<BackingServices>}
 */
export async function startBackingServices({ dir, onStep = () => undefined }) {
  /** @type {Map<BackingServiceName, BackingService>} */
  const running = new Map();
  /** @type {string[]} */
  const missing = [];
  const dispose = async () => {
    await Promise.all([...running.values()].map((service) => service.dispose()));
  };
  try {
    for (const [name, create] of /** @type {[BackingServiceName, typeof createKafka][]} */ (Object.entries(CREATORS))) {
      onStep(`Starting ${name}`);
      try {
        const service = await create({ dir: path.join(dir, name) });
        running.set(name, service);
        await service.start();
      } catch (error) {
        if (!(error instanceof BackingServiceUnavailable)) throw error;
        missing.push(error.message);
      }
    }
  } catch (error) {
    await dispose();
    throw error;
  }
  return { running, missing, env: Object.assign({}, ...[...running.values()].map(({ env }) => env)), dispose };
}
