// @ts-check
import { existsSync } from 'node:fs';
import net from 'node:net';
import { freePort } from '../cluster/free-port.mjs';
import { answerOf, EngineUnavailable, runToEnd, spawnEngine } from './engine.mjs';

const PROGRAM = 'redis-server';
const PACKAGE = 'redis-server';
const INSTALL_LIMIT_ms = 3 * 60_000;
const PING_LIMIT_ms = 1_000;

/**
 * A real Redis that loses nothing it has acknowledged. Throws EngineUnavailable where there is none and it cannot be installed.
 * @param {{ dir: string }} options   its folder, for data and log
 * @returns {Promise<import('./engine.mjs').Engine>}
 */
export async function createRedis({ dir }) {
  await requireRedis();
  const port = await freePort();
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
  return spawnEngine({
    name: 'Redis',
    dir,
    env: { REDIS_URL: `redis://127.0.0.1:${port}` },
    program: PROGRAM,
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    isReady: () => answersPing(port),
  });
}

/** Makes sure of the program; as root on Debian it is installed where it is missing. */
async function requireRedis() {
  if (await isThere()) return;
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version'))
    throw new EngineUnavailable(`Redis needs ${PROGRAM}, which was not found`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await runToEnd('apt-get', ['install', '-y', '-q', '--no-install-recommends', PACKAGE], {
      cwd: '/',
      title: 'Installing Redis',
      env,
      limit_ms: INSTALL_LIMIT_ms,
    });
  } catch {
    throw new EngineUnavailable(`Redis needs ${PROGRAM}, which was not found, and apt-get could not install it`);
  }
  if (!(await isThere())) throw new EngineUnavailable(`Redis needs ${PROGRAM}, which was not found`);
}

function isThere() {
  return answerOf(PROGRAM, ['--version']).then(
    () => true,
    () => false,
  );
}

/**
 * Whether it answers: one that still reads its data says so instead.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function answersPing(port) {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port }, () => socket.write('PING\r\n'));
    socket.setTimeout(PING_LIMIT_ms, () => socket.destroy());
    socket.once('data', (answer) => {
      resolve(answer.toString().startsWith('+PONG'));
      socket.destroy();
    });
    socket.once('close', () => resolve(false));
    socket.on('error', () => undefined);
  });
}
