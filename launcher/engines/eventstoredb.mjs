// @ts-check
import { constants } from 'node:fs';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findFreePort } from '../cluster/free-port.mjs';
import { BackingServiceUnavailable, createBackingService, runToEnd } from './engine.mjs';
import {
  HOST,
  NODE_SETTINGS,
  settingsFileOf,
  toClusterUrl,
  toNodeArguments,
  toNodeEnvironment,
} from './eventstoredb-command.mjs';

/** The names of the server: KurrentDB, and EventStoreDB as it was called until version 24.10. */
const PROGRAMS = ['kurrentd', 'eventstored'];
/** The line of every command that uses a server if there is one. */
export const NO_EVENTSTOREDB = 'no EventStoreDB';
/** A node must find the other nodes and take part in an election, on a machine that starts many processes. */
const START_LIMIT_ms = 180_000;
const REQUEST_LIMIT_ms = 2_000;
const COPY_LIMIT_ms = 120_000;
const LEADER_LIMIT_ms = 60_000;
const LEADER_INTERVAL_ms = 100;
/** The states of a node that serves requests. */
const SERVING = ['Leader', 'Follower'];

/** @typedef {import('./engine.mjs').BackingService} BackingService */

/**
 * A cluster of EventStoreDB, or one node. `start` and `stop` start and stop all nodes.
 * @typedef {BackingService & {
 *   readonly nodes: readonly EventStoreNode[],
 *   findLeader: () => Promise<EventStoreNode>,
 *   backUp: () => Promise<void>,
 *   restore: () => Promise<void>,
 * }} EventStoreDb
 */

/**
 * One node. `resign` makes the leader give up its role. `pause` suspends the process for a time.
 * @typedef {BackingService & {
 *   readonly port: number,
 *   resign: () => Promise<void>,
 *   pause: (duration_ms: number) => Promise<void>,
 * }} EventStoreNode
 */

/**
 * A member of the cluster, in the response to `GET /gossip` of a node.
 * @typedef {{ readonly state: string, readonly isAlive: boolean, readonly httpEndPointPort: number }} Member
 */

/**
 * Returns the path of the server program. Returns null if none of its names is on the `PATH`.
 * @param {string} [searched]
 */
export async function findEventStoreProgram(searched = process.env['PATH'] ?? '') {
  for (const name of PROGRAMS)
    for (const dir of searched.split(path.delimiter)) {
      const file = path.join(dir, name);
      const isProgram =
        dir !== '' &&
        (await access(file, constants.X_OK).then(
          () => true,
          () => false,
        ));
      if (isProgram) return file;
    }
  return null;
}

/**
 * Creates an EventStoreDB with `size` nodes, which the program on the `PATH` runs. It is durable, so that it survives
 * kills. Throws `BackingServiceUnavailable` if there is no program.
 * @param {{ dir: string, size?: number }} options   `dir`: folder for the folders of the nodes
 * @returns {Promise<EventStoreDb>}
 */
export async function createEventStoreDb({ dir, size = 1 }) {
  const program = await findEventStoreProgram();
  if (program === null) throw new BackingServiceUnavailable(NO_EVENTSTOREDB);
  /** @type {import('./eventstoredb-command.mjs').NodePorts[]} */
  const ports = [];
  for (let index = 0; index < size; index += 1)
    ports.push({ http: await findFreePort(), replication: await findFreePort() });
  const env = { EVENTSTORE_URL: toClusterUrl(ports) };
  const dirOf = (/** @type {number} */ index) => path.join(dir, `node-${index + 1}`);
  const backupOf = (/** @type {number} */ index) => path.join(dir, `backup-${index + 1}`);
  const nodes = ports.map((_, index) => createNode({ program, dir: dirOf(index), env, ports, index }));

  const startAll = async () => {
    // A node of a cluster is ready only after an election, so the nodes start at the same time.
    await Promise.all(nodes.map((node) => node.start()));
  };
  const stopAll = async (/** @type {'SIGTERM' | 'SIGKILL' | undefined} */ signal) => {
    await Promise.all(nodes.map((node) => node.stop(signal)));
  };
  /** Copies the data folders of stopped nodes. @type {(from: typeof dirOf, to: typeof dirOf) => Promise<void>} */
  const copyData = async (from, to) => {
    for (const index of nodes.keys()) {
      const target = path.join(to(index), 'data');
      await rm(target, { recursive: true, force: true });
      await mkdir(to(index), { recursive: true });
      await runToEnd('cp', ['-a', path.join(from(index), 'data'), target], {
        cwd: dir,
        title: 'Copying the data of EventStoreDB',
        limit_ms: COPY_LIMIT_ms,
      });
    }
  };

  return {
    name: 'EventStoreDB',
    env,
    nodes,
    start: startAll,
    stop: stopAll,
    pid: () => nodes[0]?.pid(),
    async findLeader() {
      const deadline = Date.now() + LEADER_LIMIT_ms;
      for (;;) {
        for (const node of nodes) {
          const leader = (await readMembers(node.port)).find(({ state, isAlive }) => isAlive && state === 'Leader');
          const found = nodes.find(({ port }) => port === leader?.httpEndPointPort);
          if (found?.pid() !== undefined) return found;
        }
        if (Date.now() > deadline) throw new Error('EventStoreDB has no leader');
        await pause(LEADER_INTERVAL_ms);
      }
    },
    /** Copies the data of all nodes while they are stopped, so that the copy is consistent. */
    async backUp() {
      await stopAll('SIGTERM');
      await copyData(dirOf, backupOf);
      await startAll();
    },
    /** Puts the copy back. Events that were appended since are lost. */
    async restore() {
      await stopAll('SIGTERM');
      await copyData(backupOf, dirOf);
      await startAll();
    },
    async dispose() {
      await Promise.all(nodes.map((node) => node.dispose()));
      await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

/**
 * @param {{ program: string, dir: string, env: Readonly<Record<string, string>>, index: number,
 * ports: readonly import('./eventstoredb-command.mjs').NodePorts[] }} options
 * @returns {EventStoreNode}
 */
function createNode({ program, dir, env, ports, index }) {
  const port = ports[index]?.http ?? 0;
  const service = createBackingService({
    name: ports.length === 1 ? 'EventStoreDB' : `EventStoreDB-${index + 1}`,
    dir,
    env,
    program,
    args: toNodeArguments({ dir, ports, index }),
    programEnv: toNodeEnvironment(process.env),
    prepare: () => writeFile(settingsFileOf(dir), NODE_SETTINGS),
    isReady: async () =>
      (await readMembers(port)).some(
        ({ httpEndPointPort, state, isAlive }) => httpEndPointPort === port && isAlive && SERVING.includes(state),
      ),
    startLimit_ms: START_LIMIT_ms,
  });
  return {
    ...service,
    port,
    async resign() {
      const url = `http://${HOST}:${port}/admin/node/resign`;
      const response = await fetch(url, { method: 'POST', body: '{}', signal: AbortSignal.timeout(REQUEST_LIMIT_ms) });
      if (!response.ok) throw new Error(`The leader did not resign: ${response.status}`);
    },
    async pause(duration_ms) {
      const pid = service.pid();
      if (pid === undefined) return;
      process.kill(pid, 'SIGSTOP');
      try {
        await pause(duration_ms);
      } finally {
        process.kill(pid, 'SIGCONT');
      }
    },
  };
}

/**
 * Returns the members of the cluster that a node knows. The list is empty if the node does not respond.
 * @param {number} port
 * @returns {Promise<readonly Member[]>}
 */
async function readMembers(port) {
  try {
    const response = await fetch(`http://${HOST}:${port}/gossip`, { signal: AbortSignal.timeout(REQUEST_LIMIT_ms) });
    const { members } = /** @type {{ members?: readonly Member[] }} */ (await response.json());
    return members ?? [];
  } catch {
    return [];
  }
}
