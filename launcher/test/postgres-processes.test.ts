import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findRunningPostgres, startEmbeddedPostgres } from '../postgres/index.ts';
import { parseProcessList, findPostgresPids } from '../postgres/processes.ts';
import { main } from '../tools/projections.ts';

/**
 * Tests how the launcher finds the processes of a Postgres cluster, and how tools handle a product that is starting.
 */

let folder: string;
let children: ChildProcess[];
beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'alpenglow-beside-')));
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

async function start(program: string, args: readonly string[], cwd: string): Promise<number> {
  const child = spawn(program, args, { cwd, argv0: 'sleep', stdio: 'ignore' });
  children.push(child);
  await once(child, 'spawn');
  return child.pid ?? 0;
}

describe('the processes of a cluster', () => {
  test.runIf(process.platform === 'linux')('are only those of Postgres', async () => {
    const cluster = path.join(folder, 'cluster');
    await mkdir(cluster);
    const postgres = path.join(folder, 'postgres');
    await copyFile('/bin/sleep', postgres);
    const postgresPid = await start(postgres, ['60'], cluster);
    await start('/bin/sleep', ['60'], cluster);
    await start(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)', cluster], folder);
    expect(await findPostgresPids(cluster)).toEqual([postgresPid]);
  });

  test('are only those of Postgres, in a listing of ps', () => {
    const listing = [
      `    7 postgres         /opt/my tools/postgres -D /data/cluster -p 5`,
      `   12 initdb           /opt/initdb --pgdata=/data/cluster`,
      `  301 tar              tar cf /tmp/x.tar /data/cluster`,
      `  302 bash             bash -c postgres /data/cluster`,
      ` 4000 postgres         /opt/postgres -D /elsewhere`,
      '',
    ].join('\n');
    expect(parseProcessList(listing, '/data/cluster')).toEqual([7, 12]);
  });
});

describe('a tool', () => {
  test('without the lock of DATA_DIR fails instead of starting a second Postgres', async () => {
    const rebuild = main(['rebuild', 'ad_cards'], { env: { DATA_DIR: folder }, rootDir: folder, ownsDataDir: false });
    await expect(rebuild).rejects.toThrow('Alpenglow is just starting; try again in a moment.');
    expect(await readdir(folder)).toEqual([]);
  });

  test('finds a Postgres only while it accepts connections', async () => {
    expect(await findRunningPostgres(folder)).toBeNull();
    const postgres = await startEmbeddedPostgres({ dataDir: folder, durable: false });
    try {
      expect(await findRunningPostgres(folder)).toBe(postgres.connectionString);
      await start('/bin/sleep', ['60'], postgres.clusterDir);
    } finally {
      await postgres.stop();
    }
    expect(await findRunningPostgres(folder)).toBeNull();
    await rm(path.dirname(postgres.clusterDir), { recursive: true, force: true });
  });
});
