import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findEventStoreProgram } from '../engines/eventstoredb.mjs';
import { toClusterUrl, toNodeArguments, toNodeEnvironment } from '../engines/eventstoredb-command.mjs';

const THREE = [
  { http: 2111, replication: 1111 },
  { http: 2112, replication: 1112 },
  { http: 2113, replication: 1113 },
];
/** The options that KurrentDB 25 has removed. It does not start with any of them. */
const REMOVED = ['ext-ip', 'ext-port', 'http-port', 'int-ip', 'int-tcp-port', 'gossip-on-single-node'];

const optionsOf = (args: readonly string[]) => args.map((arg) => /^--([a-z-]+)(?:=.+)?$/u.exec(arg)?.[1]);

describe('toNodeArguments', () => {
  test('starts one node with its own folders and ports, and without TLS', () => {
    expect(toNodeArguments({ dir: '/data/node', ports: THREE.slice(0, 1), index: 0 })).toEqual([
      '--config=/data/node/settings.yaml',
      '--db=/data/node/data',
      '--index=/data/node/data/index',
      '--log=/data/node/log',
      '--insecure',
      '--node-ip=127.0.0.1',
      '--node-port=2111',
      '--replication-ip=127.0.0.1',
      '--replication-port=1111',
    ]);
  });

  test('gives each node of a cluster the addresses of the other nodes', () => {
    const clusterOptions = THREE.map((_, index) => toNodeArguments({ dir: '/data', ports: THREE, index }).slice(-3));
    const seeds = ['127.0.0.1:2112,127.0.0.1:2113', '127.0.0.1:2111,127.0.0.1:2113', '127.0.0.1:2111,127.0.0.1:2112'];
    expect(clusterOptions).toEqual(
      seeds.map((others) => ['--cluster-size=3', '--discover-via-dns=false', `--gossip-seed=${others}`]),
    );
  });

  test('uses each option once, and none that KurrentDB has removed', () => {
    const options = optionsOf(toNodeArguments({ dir: '/data', ports: THREE, index: 2 }));
    expect(options).not.toContain(undefined);
    expect(new Set(options).size).toBe(options.length);
    expect(options.filter((option) => REMOVED.includes(option ?? ''))).toEqual([]);
  });

  test('rejects a node that does not exist', () => {
    expect(() => toNodeArguments({ dir: '/data', ports: THREE, index: 3 })).toThrow(RangeError);
  });
});

test('the environment of a node has no variable that the server would read as an unknown option', () => {
  const env = {
    PATH: '/usr/bin',
    EVENTSTORE_URL: 'esdb://127.0.0.1',
    EVENTSTORE_STREAM_PREFIX: 'shop-',
    KURRENTDB_DB: '/x',
    TEST_EVENTSTORE_URL: 'esdb://127.0.0.1',
  };
  expect(toNodeEnvironment(env)).toEqual({
    PATH: '/usr/bin',
    TEST_EVENTSTORE_URL: 'esdb://127.0.0.1',
    EVENTSTORE_TELEMETRY_OPTOUT: 'true',
    KURRENTDB_TELEMETRY_OPTOUT: 'true',
  });
});

test('the address of a cluster names all nodes', () => {
  expect(toClusterUrl(THREE)).toBe('esdb://127.0.0.1:2111,127.0.0.1:2112,127.0.0.1:2113?tls=false');
  expect(toClusterUrl(THREE.slice(2))).toBe('esdb://127.0.0.1:2113?tls=false');
});

describe('findEventStoreProgram', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'alpenglow-path-'));
    for (const [folder, name, mode] of [
      ['old', 'eventstored', 0o755],
      ['new', 'kurrentd', 0o755],
      ['text', 'kurrentd', 0o644],
    ] as const) {
      await mkdir(path.join(dir, folder));
      await writeFile(path.join(dir, folder, name), '');
      await chmod(path.join(dir, folder, name), mode);
    }
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));
  const pathOf = (...folders: string[]) => folders.map((folder) => path.join(dir, folder)).join(path.delimiter);

  test('finds the program by both of its names, first KurrentDB', async () => {
    expect(await findEventStoreProgram(pathOf('missing', 'old'))).toBe(path.join(dir, 'old/eventstored'));
    expect(await findEventStoreProgram(pathOf('old', 'new'))).toBe(path.join(dir, 'new/kurrentd'));
  });

  test('finds nothing without a program', async () => {
    expect(await findEventStoreProgram('')).toBeNull();
    expect(await findEventStoreProgram(pathOf('missing', 'text'))).toBeNull();
  });
});
