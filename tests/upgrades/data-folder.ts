import { execFile } from 'node:child_process';
import { chmod, chown, cp, lstat, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import pg from 'pg';
import { findRunningPostgres } from '../../launcher/postgres/index.ts';
import { ensurePostgresUser, isRoot } from '../../launcher/postgres/system-user.ts';

const run = promisify(execFile);
const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

const root = path.resolve(import.meta.dirname, '../..');
/** Folder of the packed data folders, each with a list of its content. */
export const FOLDERS = path.join(root, 'tests/upgrades/folders');
/** The window of the compression, as a power of two. It finds repetitions in the whole folder. */
const WINDOW = 27;
/** The maximum, 11, makes the result 5 % smaller, and takes minutes. */
const QUALITY = 9;
const WAL_SEGMENT_bytes = 16 * 1024 * 1024;
const WAL_PAGE_bytes = 8_192;

interface PostgresRecord {
  readonly home: string;
}

const recordOf = async (dataDir: string) =>
  JSON.parse(await readFile(path.join(dataDir, 'postgres.json'), 'utf8')) as PostgresRecord;

/**
 * Packs a data folder whose product and Postgres have stopped. The result contains the database as `postgres`, even if
 * the product stored it elsewhere. It does not contain logs, and of the write-ahead log only what a start needs. It
 * contains the files of only one stock picture, because these files would be most of its size, and every installation
 * of a release has the same ones.
 */
export async function packDataFolder(dataDir: string, scratch: string): Promise<Buffer> {
  const copy = path.join(scratch, 'packed');
  const isPacked = (file: string) => !/^(postgres|launcher\.lock|blobs\/photos\/demo-(?!01)\d+)$/u.test(file);
  await cp(dataDir, copy, { recursive: true, filter: (file) => isPacked(path.relative(dataDir, file)) });
  const { home } = await recordOf(dataDir);
  await cp(path.join(home, 'cluster'), path.join(copy, 'postgres/cluster'), { recursive: true });
  for (const name of ['postmaster.pid', 'postmaster.opts'])
    await rm(path.join(copy, 'postgres/cluster', name), { force: true });
  await reduceWal(path.join(copy, 'postgres/cluster'));
  const archive = path.join(scratch, 'packed.tar');
  await run('tar', ['-c', '--sort=name', '--owner=0', '--group=0', '--numeric-owner', '-f', archive, '-C', copy, '.']);
  const packed = await readFile(archive);
  return compress(packed, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_LARGE_WINDOW]: 1,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW,
      [constants.BROTLI_PARAM_SIZE_HINT]: packed.length,
    },
  });
}

/**
 * Removes the segments of the write-ahead log that a start after a clean shutdown does not read. In the remaining
 * segment, replaces everything except the first page and the pages of the shutdown checkpoint by zeros.
 */
async function reduceWal(cluster: string): Promise<void> {
  const control = await readFile(path.join(cluster, 'global/pg_control'));
  // The fields of pg_control: the state at byte 16, and at byte 32 the position of the last checkpoint record, which
  // is also the position at which a start begins to read. The timeline follows at byte 48.
  const SHUT_DOWN = 1;
  const checkpoint = control.readBigUInt64LE(32);
  if (control.readInt32LE(16) !== SHUT_DOWN || control.readBigUInt64LE(40) !== checkpoint)
    throw new Error(`The database in ${cluster} was not shut down cleanly`);
  const hex = (value: number | bigint) => value.toString(16).toUpperCase().padStart(8, '0');
  const low = Number(checkpoint & 0xffffffffn);
  const segment = [control.readUInt32LE(48), checkpoint >> 32n, Math.floor(low / WAL_SEGMENT_bytes)].map(hex).join('');
  const folder = path.join(cluster, 'pg_wal');
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isFile() && entry.name !== segment) await rm(path.join(folder, entry.name));
  const page = Math.floor((low % WAL_SEGMENT_bytes) / WAL_PAGE_bytes) * WAL_PAGE_bytes;
  const handle = await open(path.join(folder, segment), 'r+');
  try {
    const content = await handle.readFile();
    content.fill(0, Math.min(WAL_PAGE_bytes, page), page);
    content.fill(0, page + 2 * WAL_PAGE_bytes);
    await handle.write(content, 0, content.length, 0);
  } finally {
    await handle.close();
  }
}

/** Restores a packed data folder into the empty folder `dataDir`, for the user that runs this process. */
export async function unpackDataFolder(packed: Buffer, dataDir: string): Promise<void> {
  const archive = path.join(dataDir, 'packed.tar');
  await writeFile(archive, await decompress(packed, { params: { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 } }));
  await run('tar', ['-x', '-p', '--no-same-owner', '-f', archive, '-C', dataDir]);
  await rm(archive);
  const home = path.join(dataDir, 'postgres');
  await writeFile(
    path.join(dataDir, 'postgres.json'),
    JSON.stringify({ ...(await recordOf(dataDir)), home, port: null }),
    { mode: 0o600 },
  );
  await chmod(home, 0o700);
  // Postgres does not run as root. The product then runs it as the user to whom its folder belongs.
  if (isRoot()) await chownAll(home, await ensurePostgresUser());
}

/** Connects to the running Postgres of a data folder. Rejects if it does not run. */
export async function connect(dataDir: string): Promise<pg.Client> {
  const connectionString = await findRunningPostgres(dataDir);
  if (connectionString === null) throw new Error(`Postgres does not run for ${dataDir}`);
  const database = new pg.Client({ connectionString });
  // A connection that breaks because Postgres stops is not an error.
  database.on('error', () => undefined);
  await database.connect();
  return database;
}

async function chownAll(file: string, user: { readonly uid: number; readonly gid: number }): Promise<void> {
  await chown(file, user.uid, user.gid);
  if (!(await lstat(file)).isDirectory()) return;
  await Promise.all((await readdir(file)).map((name) => chownAll(path.join(file, name), user)));
}

/** Returns the names of the packed data folders, which are the short ids of their commits. The oldest is the first. */
export async function packedFolders(): Promise<readonly string[]> {
  const found: { readonly name: string; readonly committedAt: string }[] = [];
  for (const file of await readdir(FOLDERS)) {
    if (!file.endsWith('.json')) continue;
    const { committedAt } = JSON.parse(await readFile(path.join(FOLDERS, file), 'utf8')) as { committedAt: string };
    found.push({ name: file.replace('.json', ''), committedAt });
  }
  return found.sort((a, b) => Date.parse(a.committedAt) - Date.parse(b.committedAt)).map(({ name }) => name);
}

export const packedFile = (name: string): string => path.join(FOLDERS, `${name}.tar.br`);
export const listFile = (name: string): string => path.join(FOLDERS, `${name}.json`);
