import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { estimateProgress, type Position } from '@alpenglow/domain';
import { acquireLock, AlreadyRunning } from '../start/lock.mjs';
import { createResourceStack, readConfig, readVersion, recordBackup, type Secrets } from '@alpenglow/infra';
import { backupKeyPath, readBackupKey, writeBackupKey, type BackupKey } from './backup/backup-key.ts';
import { backupName, removeOldBackups } from './backup/backup-folders.ts';
import { saveBlobs } from './backup/blobs.ts';
import { writeBytes, writeLines, type FileSummary } from './backup/files.ts';
import {
  BACKUP_FILES,
  bytesOf,
  fingerprintSecrets,
  BACKUP_FORMAT,
  writeManifest,
  type Manifest,
} from './backup/manifest.ts';
import { findInstallationSecrets } from './backup/secrets.ts';
import { dumpTable, BACKED_UP_TABLES, type BackedUpTable } from './backup/tables.ts';
import { createEventDigest, eventText, type StoredEvent } from './copy/event-digest.ts';
import { retryDuringOutages, readEvents } from './copy/read-events.ts';
import { syncFolder } from '../postgres/cluster.ts';
import { inspectDatabase, openInstallation, type Installation } from './installation.ts';
import { showProgress } from './progress.ts';
import { readOptions, printMessage, ToolError, EXIT_WRONG_USAGE, type ToolOptions } from './tool.ts';

const USAGE = `Usage: npm run backup -- --to <folder> [--with-secrets] [--create-key]
       npm run backup -- --in <folder> [--with-secrets] [--create-key]
  --to            the folder of the backup; is created, and must not exist yet
  --in            creates the backup in this folder, named by the time, and then removes those that an earlier call
                  has created there more than BACKUP_RETENTION_DAYS ago
  --with-secrets  also saves the secrets that unseal personal data and map addresses to accounts
  --create-key    creates the key of the backups if it does not exist: the file BACKUP_KEY_FILE.
                  With the embedded database, the first backup does this without the option
Contents, and how to restore: docs/backup.md`;

const PRIVATE_FOLDER = 0o700;

/**
 * `npm run backup`: copies all data that cannot be rebuilt into a folder. The product may be running. Returns the exit
 * code.
 */
export async function main(args: readonly string[], options: ToolOptions): Promise<number> {
  const values = readOptions(
    args,
    {
      to: { type: 'string' },
      in: { type: 'string' },
      'with-secrets': { type: 'boolean', default: false },
      'create-key': { type: 'boolean', default: false },
    },
    USAGE,
  );
  if (values === null) return EXIT_WRONG_USAGE;
  const [folderOption, ...others] = [values.to, values.in].filter((value) => value !== undefined);
  if (folderOption === undefined || others.length > 0) {
    printMessage(USAGE);
    return EXIT_WRONG_USAGE;
  }
  // npm runs this tool in the folder of the project. The user's path is relative to the folder in which the user called
  // npm. npm stores that folder in INIT_CWD.
  const named = path.resolve(options.env['INIT_CWD'] ?? process.cwd(), folderOption);
  const target = values.in === undefined ? named : path.join(named, backupName(new Date()));
  const closing = createResourceStack();
  try {
    const { pool, madeAt } = await fillAtomically(target, async (folder) => {
      const installation = await openExisting(options, closing);
      const secrets = await findInstallationSecrets(installation, values['with-secrets']);
      const key = await obtainKey(options.env, { target: named, mayCreate: values['create-key'] });
      const backup = await backUp(installation, folder, {
        ...{ secrets, key, options },
        withSecrets: values['with-secrets'],
      });
      return { pool: installation.pool, madeAt: backup.madeAt };
    });
    await recordBackup(pool, madeAt);
    if (values.in !== undefined) {
      const removed = await removeOldBackups(named, readConfig(options.env).backupRetention_days, new Date());
      for (const name of removed) printMessage(`Removed the backup ${name}`);
    }
    process.stdout.write(`Backed up to ${target}\n`);
    if (!values['with-secrets'])
      printMessage(
        'The backup does not contain the secrets. Without them, its personal data cannot be read and no user can ' +
          'sign in. Store them elsewhere (SECRET_*, or secrets.json in DATA_DIR).',
      );
    return 0;
  } finally {
    await closing.closeAll();
  }
}

/**
 * Returns the key of the backups. Creates it if it does not exist and if `mayCreate` is true or the database is
 * embedded. A cluster must ask for a key, because its tools often run in containers, whose files are lost at their end.
 */
async function obtainKey(
  env: NodeJS.ProcessEnv,
  { target, mayCreate }: { readonly target: string; readonly mayCreate: boolean },
): Promise<BackupKey> {
  const file = backupKeyPath(env);
  if (!path.relative(target, file).startsWith('..'))
    throw new ToolError(`${file} is in the folder of the backup. Store the key in another place (BACKUP_KEY_FILE).`);
  const existing = await readBackupKey(file);
  if (existing) return existing;
  if (!mayCreate && env['DATABASE_URL'])
    throw new ToolError(
      `The key of the backups is not in ${file}. Name its file with BACKUP_KEY_FILE. ` +
        'For the first backup, add --create-key, which creates it.',
    );
  await writeBackupKey(file);
  printMessage(
    `Created the key of the backups: ${file}\n` +
      'Without this file, no backup can be restored. Copy it to a safe place that is neither this machine nor the ' +
      'place of the backups.',
  );
  const created = await readBackupKey(file);
  if (!created) throw new ToolError(`${file} was removed while it was being created.`);
  return created;
}

/**
 * Calls `fill` with a folder that has a temporary name, and renames the folder to `target` when it is complete. First
 * removes an incomplete folder of an earlier call. Returns the result of `fill`.
 */
async function fillAtomically<T>(target: string, fill: (folder: string) => Promise<T>): Promise<T> {
  if (existsSync(target)) throw new ToolError(`${target} already exists. A backup creates its folder itself.`);
  const draft = `${target}.unfinished`;
  await mkdir(path.dirname(target), { recursive: true });
  const lock = await acquireLock(`${draft}.lock`).catch((error: unknown) => {
    throw error instanceof AlreadyRunning
      ? new ToolError(`Another backup is writing to ${target}: ${error.message}.`)
      : error;
  });
  try {
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: PRIVATE_FOLDER });
    const result = await fill(draft);
    await rename(draft, target);
    await syncFolder(path.dirname(target));
    return result;
  } finally {
    await rm(draft, { recursive: true, force: true });
    lock.release();
  }
}

/**
 * Opens the installation to back up. Throws `ToolError` if there is no installation, because opening it would create an
 * empty one. Also throws `ToolError` if the installation is only partly restored.
 */
async function openExisting(
  options: ToolOptions,
  closing: ReturnType<typeof createResourceStack>,
): Promise<Installation> {
  const { DATABASE_URL: databaseUrl, DATA_DIR: dataDir } = options.env;
  const folder = path.resolve(options.rootDir, dataDir || '.data');
  if (!databaseUrl && !existsSync(path.join(folder, 'postgres.json')))
    throw new ToolError(
      `There is no installation in ${folder}. ` +
        'Name yours by DATA_DIR, or by DATABASE_URL and the rest of its environment.',
    );
  const installation = await openInstallation(options, closing);
  const { isOurs, isBeingRestored } = await inspectDatabase(installation.pool);
  if (!isOurs) throw new ToolError('There is no installation in this database.');
  if (isBeingRestored) throw new ToolError('This installation is only partly restored: finish the restore first.');
  return installation;
}

interface BackupOptions {
  readonly secrets: Secrets | null;
  readonly withSecrets: boolean;
  readonly key: BackupKey;
  readonly options: ToolOptions;
}

/**
 * Saves the installation in a folder. The backup is consistent even if other processes write at the same time. First,
 * the moderation log is saved, so that the backup has the events of all its entries. Then the position of the last
 * event is read. The backup contains only the events up to this position. Keys and photos are saved next. The product
 * stores them before the events that need them, so all keys and photos of the saved events exist at this time. Events
 * are saved last, because they never change. Returns the manifest.
 */
async function backUp(
  { pool, events, blobs }: Installation,
  folder: string,
  { secrets, withSecrets, key, options: { rootDir, signal } }: BackupOptions,
): Promise<Manifest> {
  const files: Record<string, FileSummary> = {};
  const madeAt = new Date().toISOString();

  const tables: Record<string, number> = {};
  await mkdir(path.join(folder, 'tables'), { mode: PRIVATE_FOLDER });
  const saveTables = async (selected: readonly BackedUpTable[]) => {
    for (const table of selected) {
      const rows = countItems(dumpTable(pool, table));
      const file = BACKUP_FILES.table(table.name);
      files[file] = await writeLines(path.join(folder, file), rows.items, key, signal);
      tables[table.name] = rows.count();
    }
  };
  await saveTables(BACKED_UP_TABLES.filter(({ isSavedFirst }) => isSavedFirst === true));
  const head = await retryDuringOutages(() => events.store.readHead(), signal);
  await saveTables(BACKED_UP_TABLES.filter(({ isSavedFirst }) => isSavedFirst !== true));

  const saved = { count: 0, size_bytes: 0 };
  const index = async function* () {
    for await (const line of saveBlobs(blobs, folder, key, signal)) {
      saved.count += 1;
      saved.size_bytes += (JSON.parse(line) as FileSummary).size_bytes;
      yield line;
    }
  };
  printMessage('Saving pictures');
  files[BACKUP_FILES.blobIndex] = await writeLines(path.join(folder, BACKUP_FILES.blobIndex), index(), key, signal);
  printMessage(`Saved ${saved.count} files of pictures, ${(saved.size_bytes / 1e6).toFixed(1)} MB`);

  const history = saveEvents(events.store, head, signal);
  files[BACKUP_FILES.events] = await writeLines(path.join(folder, BACKUP_FILES.events), history.lines(), key, signal);

  if (secrets && withSecrets)
    files[BACKUP_FILES.secrets] = await writeBytes(
      path.join(folder, BACKUP_FILES.secrets),
      bytesOf(`${JSON.stringify(secrets, null, 2)}\n`),
      key,
      signal,
    );
  const manifest: Manifest = {
    format: BACKUP_FORMAT,
    version: await readVersion(rootDir),
    madeAt,
    events: history.facts(),
    tables,
    blobs: saved,
    secrets: { included: withSecrets, fingerprint: (secrets && fingerprintSecrets(secrets)[0]) ?? null },
    files,
  };
  await writeManifest(folder, manifest, key);
  await syncFolder(folder);
  printMessage(`Saved ${manifest.events.count} events, sha256 ${manifest.events.sha256}`);
  return manifest;
}

/**
 * Returns `lines`, which yields all events up to `head` as lines of JSON. Afterwards, `facts` returns their number,
 * hash and latest time for the manifest.
 */
function saveEvents(store: Installation['events']['store'], head: Position, signal: AbortSignal | undefined) {
  const digest = createEventDigest();
  let newestAt: string | null = null;
  return {
    async *lines(): AsyncGenerator<string> {
      const progress = showProgress('Saving', 'events');
      try {
        for await (const { position, ...event } of readEvents(store, { until: head, signal })) {
          digest.addText(eventText(event));
          if (newestAt === null || event.meta.at > newestAt) newestAt = event.meta.at;
          progress.update(digest.count, estimateProgress(position, head));
          yield JSON.stringify(event satisfies StoredEvent);
        }
      } finally {
        progress.stop();
      }
    },
    facts: (): Manifest['events'] => ({ ...digest.value(), newestAt }),
  };
}

function countItems(items: AsyncIterable<string>) {
  let count = 0;
  return {
    count: () => count,
    items: (async function* () {
      for await (const item of items) {
        count += 1;
        yield item;
      }
    })(),
  };
}
