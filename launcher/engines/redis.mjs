// @ts-check
import { existsSync } from 'node:fs';
import net from 'node:net';
import { findFreePort } from '../cluster/free-port.mjs';
import { runAndReadOutput, BackingServiceUnavailable, runToEnd, createBackingService } from './engine.mjs';

const PROGRAM = 'redis-server';
const PACKAGE = 'redis-server';
const INSTALL_LIMIT_ms = 3 * 60_000;
const PING_LIMIT_ms = 1_000;

/**
 * Creates a Redis backing service that flushes each write to the disk before it responds. Throws
 * `BackingServiceUnavailable` if Redis is missing and cannot be installed.
 * @param {{ dir: string }} options   `dir`: folder for data and log
 * @returns {Promise<import('./engine.mjs').BackingService>}
 */
export async function createRedis({ dir }) {
  await requireRedis();
  const port = await findFreePort();
  /** @type {Record<string, string>} */
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir,
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
    'maxmemory-policy': 'noeviction',
  };
  return createBackingService({
    name: 'Redis',
    dir,
    env: { REDIS_URL: `redis://127.0.0.1:${port}` },
    program: PROGRAM,
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    isReady: () => respondsToPing(port),
  });
}

/**
 * Checks that Redis is installed. If Redis is missing, installs it on Debian if the current user is root. In all other
 * cases, throws an error.
 */
async function requireRedis() {
  if (await isInstalled()) return;
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version'))
    throw new BackingServiceUnavailable(`Redis needs ${PROGRAM}, which was not found`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await runToEnd('apt-get', ['install', '-y', '-q', '--no-install-recommends', PACKAGE], {
      cwd: '/',
      title: 'Installing Redis',
      env,
      limit_ms: INSTALL_LIMIT_ms,
    });
  } catch {
    throw new BackingServiceUnavailable(
      `Redis needs ${PROGRAM}, which was not found, and apt-get could not install it`,
    );
  }
  if (!(await isInstalled())) throw new BackingServiceUnavailable(`Redis needs ${PROGRAM}, which was not found`);
}

function isInstalled() {
  return runAndReadOutput(PROGRAM, ['--version']).then(
    () => true,
    () => false,
  );
}

/**
 * Returns true if Redis responds to PING and has loaded its data. While it loads the data, it responds with an error.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function respondsToPing(port) {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port }, () => socket.write('PING\r\n'));
    socket.setTimeout(PING_LIMIT_ms, () => socket.destroy());
    socket.once('data', (response) => {
      resolve(response.toString().startsWith('+PONG'));
      socket.destroy();
    });
    socket.once('close', () => resolve(false));
    socket.on('error', () => undefined);
  });
}
