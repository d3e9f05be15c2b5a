// @ts-check
/** Every engine this machine can run, together. */
import path from 'node:path';
import { EngineUnavailable } from './engine.mjs';
import { createKafka } from './kafka.mjs';
import { createPostgres } from './postgres.mjs';
import { createRedis } from './redis.mjs';
import { createS3 } from './s3.mjs';

/** @typedef {import('./engine.mjs').Engine} Engine */

const CREATORS = { postgres: createPostgres, redis: createRedis, kafka: createKafka, s3: createS3 };
/** @typedef {keyof typeof CREATORS} EngineName */

/**
 * @typedef {object} Engines
 * @property {ReadonlyMap<EngineName, Engine>} running
 * @property {readonly string[]} missing   a line for each that cannot be had here
 * @property {Readonly<Record<string, string>>} env   what services are told of those that run
 * @property {() => Promise<void>} dispose   stops them and removes their data
 */

/**
 * Starts all engines, below `dir`.
 * @param {{ dir: string, onStep?: (step: string) => void }} options
 * @returns {Promise<Engines>}
 */
export async function startEngines({ dir, onStep = () => undefined }) {
  /** @type {Map<EngineName, Engine>} */
  const running = new Map();
  /** @type {string[]} */
  const missing = [];
  const dispose = async () => {
    await Promise.all([...running.values()].map((engine) => engine.dispose()));
  };
  try {
    for (const [name, create] of /** @type {[EngineName, typeof createKafka][]} */ (Object.entries(CREATORS))) {
      onStep(`Starting ${name}`);
      try {
        const engine = await create({ dir: path.join(dir, name) });
        running.set(name, engine);
        await engine.start();
      } catch (error) {
        if (!(error instanceof EngineUnavailable)) throw error;
        missing.push(error.message);
      }
    }
  } catch (error) {
    await dispose();
    throw error;
  }
  return { running, missing, env: Object.assign({}, ...[...running.values()].map(({ env }) => env)), dispose };
}
