import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { readBackupAge_s } from '@alpenglow/infra';
import { LIVE_RELAY_DUTY } from '@alpenglow/projectors';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backupName } from '../../launcher/tools/backup/backup-folders.ts';
import { writeBackupKey } from '../../launcher/tools/backup/backup-key.ts';
import { BACKUP_FILES } from '../../launcher/tools/backup/manifest.ts';
import { imageEnv, jobIn, read, readCompose } from '../architecture/deploy-files.ts';
import { createTestDatabase, createTestPool, type TestDatabase } from '../support/database.ts';

/**
 * Runs the commands of docs/backup.md for Compose and Kubernetes with the environment of the container, as processes of
 * this machine instead of in containers. Events and pictures are stored in Postgres and in a folder, because this
 * machine may have no EventStoreDB and no S3.
 */

const root = path.resolve(import.meta.dirname, '../..');
const ADS = 3;
/** Settings whose backing services are replaced. */
const REPLACED = /^(?:EVENTSTORE_URL|S3_)/u;

const closing: (() => Promise<unknown>)[] = [];
let folder: string;
let databases: readonly [TestDatabase, TestDatabase];
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-deployed-tools-'));
  databases = [await createTestDatabase(), await createTestDatabase()];
  await writeBackupKey(path.join(folder, 'keys/backup-key.txt'));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  for (const database of databases) await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** A container: the command after the entry point of the image, its environment, and its mounted folders. */
interface ContainerRun {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs the entry point of the image. Folders of the container are folders in `folder`. */
async function runInImage({ args, environment }: ContainerRun, database: TestDatabase): Promise<void> {
  const inFolder = (value: string) => value.replace(/^\/(backups|keys)(?=\/|$)/u, `${folder}/$1`);
  const settings = Object.entries({ ...imageEnv, ...environment }).filter(([name]) => !REPLACED.test(name));
  const child = spawn(process.execPath, ['infra/deploy/image/run.mjs', ...args.map(inFolder)], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      ...Object.fromEntries(settings.map(([name, value]) => [name, inFolder(value)])),
      DATABASE_URL: database.connectionString,
      DATA_DIR: path.join(folder, database === databases[0] ? 'source' : 'restored'),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const errors = await text(child.stderr);
  expect(await ended, errors).toBe(0);
}

/** Returns the containers that the `dc run` commands of docs/backup.md start. */
function composeRuns(): readonly (ContainerRun & { readonly startsBackingServices: boolean })[] {
  const { services } = readCompose();
  return [...read('docs/backup.md').matchAll(/^dc run ((?:.*\\\n)*.*)$/gmu)].map(([, command = '']) => {
    const words = command
      .replaceAll('\\\n', ' ')
      .replace(/ #.*$/u, '')
      .replaceAll('"$(id -u):$(id -g)"', '0:0')
      .trim()
      .split(/\s+/u);
    const environment: Record<string, string> = {};
    const mounted: string[] = [];
    let startsBackingServices = true;
    while (words[0]?.startsWith('-') === true) {
      const option = words.shift();
      if (option === '--no-deps') startsBackingServices = false;
      if (option === '-v' || option === '-e' || option === '--user') {
        const value = words.shift() ?? '';
        if (option === '-e') Object.assign(environment, Object.fromEntries([value.split('=', 2)]));
        if (option === '-v') mounted.push(value.split(':')[1] ?? '');
      }
    }
    expect(mounted).toEqual(['/backups', '/keys']);
    const [service = '', ...args] = words;
    return { args, environment: { ...services[service]?.environment, ...environment }, startsBackingServices };
  });
}

/** Returns the number of events in a database, and the names of the stored checkpoints. */
async function contentOf({ connectionString }: TestDatabase) {
  const pool = createTestPool(connectionString, 1);
  try {
    const { rows: events } = await pool.query<{ count: number }>('select count(*)::int from es.events');
    const { rows: checkpoints } = await pool.query<{ name: string }>('select name from rm.checkpoints');
    return { events: events[0]?.count ?? 0, checkpoints: checkpoints.map(({ name }) => name) };
  } finally {
    await pool.end();
  }
}

async function createAds(environment: Readonly<Record<string, string>>): Promise<void> {
  await runInImage({ args: ['seed', '--ads', String(ADS)], environment }, databases[0]);
  expect((await contentOf(databases[0])).events).toBeGreaterThan(ADS);
}

async function expectRestored(): Promise<void> {
  const restored = await contentOf(databases[1]);
  expect(restored.events).toBe((await contentOf(databases[0])).events);
  // Without the checkpoint of the relay, old messages would be sent to every open page.
  expect(restored.checkpoints).toContain(LIVE_RELAY_DUTY);
}

describe('docs/backup.md', () => {
  test('has commands for Compose that back up an installation and restore it into a new one', async () => {
    const [backup, restore, ...others] = composeRuns();
    expect([backup?.args[0], restore?.args[0], others]).toEqual(['backup', 'restore', []]);
    if (!backup || !restore) return;
    expect([backup.startsBackingServices, restore.startsBackingServices], 'the backing services must run').toEqual([
      true,
      true,
    ]);
    await createAds(readCompose().services['seed']?.environment ?? {});
    await runInImage(backup, databases[0]);
    await runInImage(restore, databases[1]);
    await expectRestored();
  });

  test('names a Job for Kubernetes that restores a backup, and backs up with the documented arguments', async () => {
    const document = read('docs/backup.md');
    expect(document).toContain('kubectl apply -k infra/deploy/k8s/overlays/restore');
    const [, documented = ''] = /the same Job with `args: \[([^\]]+)\]`/u.exec(document) ?? [];
    const restore = jobIn('overlays/restore/restore.yaml', ['overlays/example']);
    await createAds(restore.environment);
    await runInImage({ ...restore, args: documented.split(', ') }, databases[0]);
    expect(await readdir(path.join(folder, 'backups'))).toEqual(['monday']);
    await runInImage(restore, databases[1]);
    await expectRestored();
  });

  test('describes CronJobs that back up every night, remove old backups, and practice the restore', async () => {
    const [backup, practice] = ['backup', 'restore-practice'].map((name) =>
      jobIn(`backups/${name}.yaml`, ['overlays/example']),
    );
    if (!backup || !practice) throw new Error('A CronJob is missing');
    await createAds(backup.environment);
    // What earlier nights have left: an old backup, one of the last month, and one that was killed.
    const left = { old: '2020-01-01T021500Z', recent: timeOf(3), killed: `${timeOf(2)}.unfinished` };
    for (const name of Object.values(left)) await mkdir(path.join(folder, 'backups', name), { recursive: true });
    for (const name of [left.old, left.recent])
      await writeFile(path.join(folder, 'backups', name, BACKUP_FILES.manifest), '');
    await runInImage(backup, databases[0]);
    const names = (await readdir(path.join(folder, 'backups'))).sort();
    expect(names).toEqual([left.recent, expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{6}Z$/u)]);

    const pool = createTestPool(databases[0].connectionString, 1);
    closing.push(() => pool.end());
    expect(await readBackupAge_s(pool)).toBeLessThan(600);

    await runInImage(practice, databases[1]);
    const restored = await contentOf(databases[1]);
    expect(restored.events).toBe((await contentOf(databases[0])).events);
  });
});

/** Returns the name of a backup that began some days ago. */
const timeOf = (daysAgo: number) => backupName(new Date(Date.now() - daysAgo * 86_400_000));
