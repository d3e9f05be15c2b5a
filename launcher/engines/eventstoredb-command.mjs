// @ts-check
/**
 * The command line of a node of EventStoreDB or KurrentDB. Each option is described in the documentation of the server
 * (Configuration: Database, Networking, Clustering, Security). Both programs know all of them: EventStoreDB has these
 * names since 23.10, and KurrentDB does not start with an older name, such as `--http-port` or `--int-tcp-port`.
 */
import path from 'node:path';

/** The address at which all nodes listen. */
export const HOST = '127.0.0.1';
/** The beginnings of environment variables that the server reads as options. KurrentDB reads both. */
const OPTION_PREFIXES = ['EVENTSTORE_', 'KURRENTDB_'];

/**
 * @typedef {object} NodePorts
 * @property {number} http   port of gRPC and HTTP, for clients and for gossip
 * @property {number} replication   port of the replication between nodes
 */

/**
 * Returns the arguments of the node `ports[index]` of a cluster with a node for each entry of `ports`. Its data, its
 * index, its logs and its settings file are below `dir`.
 * @param {{ dir: string, ports: readonly NodePorts[], index: number }} options
 * @returns {string[]}
 */
export function toNodeArguments({ dir, ports, index }) {
  const own = ports[index];
  if (!own) throw new RangeError(`There is no node ${index}`);
  const seeds = ports.filter((other) => other !== own).map(({ http }) => `${HOST}:${http}`);
  return [
    // Without an own file, the server reads that of its package, e.g. /etc/eventstore/eventstore.conf.
    `--config=${settingsFileOf(dir)}`,
    `--db=${path.join(dir, 'data')}`,
    `--index=${path.join(dir, 'data', 'index')}`,
    `--log=${path.join(dir, 'log')}`,
    // No TLS, no users.
    '--insecure',
    `--node-ip=${HOST}`,
    `--node-port=${own.http}`,
    `--replication-ip=${HOST}`,
    `--replication-port=${own.replication}`,
    ...(ports.length > 1
      ? [`--cluster-size=${ports.length}`, '--discover-via-dns=false', `--gossip-seed=${seeds.join(',')}`]
      : []),
  ];
}

/**
 * Returns the path of the settings file of a node, whose content is `NODE_SETTINGS`.
 * @param {string} dir
 */
export const settingsFileOf = (dir) => path.join(dir, 'settings.yaml');

/** The settings file. It replaces that of the package, and states a default. The arguments override it. */
export const NODE_SETTINGS = 'RunProjections: None\n';

/**
 * Returns the environment of a node. Our own variables, such as `EVENTSTORE_URL`, are removed: the server would read
 * them as options that it does not know, and would not start. Telemetry can only be switched off by a variable.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function toNodeEnvironment(env) {
  const others = Object.entries(env).filter(([name]) => !OPTION_PREFIXES.some((prefix) => name.startsWith(prefix)));
  const optOuts = OPTION_PREFIXES.map((prefix) => [`${prefix}TELEMETRY_OPTOUT`, 'true']);
  return Object.fromEntries([...others, ...optOuts]);
}

/**
 * Returns the address of a cluster for clients.
 * @param {readonly NodePorts[]} ports
 */
export function toClusterUrl(ports) {
  return `esdb://${ports.map(({ http }) => `${HOST}:${http}`).join(',')}?tls=false`;
}
