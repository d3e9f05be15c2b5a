import path from 'node:path';
import { text } from 'node:stream/consumers';
import { START_POSITION, type Position } from '@alpenglow/domain';
import { REACTORS, LIVE_RELAY_DUTY } from '@alpenglow/projectors';
import {
  createKeyWrapping,
  createResourceStack,
  configuredEventStore,
  ALL_SECRETS,
  findSecrets,
  selectSecrets,
  storeSecrets,
  migrate,
  storeEventStoreInUse,
  storeSecretFingerprints,
  RESTORE_MARKER_TABLE,
  resetAccountIdKey,
  secretIdsOf,
  splitSecrets,
  takeProcessLock,
  type EventStoreInUse,
  type Pool,
  type Secrets,
} from '@alpenglow/infra';
import { backupKeyPath, readBackupKey } from './backup/backup-key.ts';
import { findNewestBackup } from './backup/backup-folders.ts';
import { checkBlobs, loadBlobs } from './backup/blobs.ts';
import { checkFile, readBytes, readLines } from './backup/files.ts';
import {
  fingerprintSecrets,
  openBackup,
  openUnencryptedBackup,
  type Manifest,
  type OpenedBackup,
} from './backup/manifest.ts';
import { secretsMatchInstallation } from './backup/secrets.ts';
import { isEmptyTable, BACKED_UP_TABLES, loadTable, type BackedUpTable } from './backup/tables.ts';
import { copyEvents, verifyCopy } from './copy/copy-events.ts';
import { createEventDigest, eventText, isSameDigest, type StoredEvent } from './copy/event-digest.ts';
import { retryDuringOutages } from './copy/read-events.ts';
import { requireStoppedServices } from './database.ts';
import { inspectDatabase, openInstallation, type Installation } from './installation.ts';
import { showProgress } from './progress.ts';
import { readOptions, printMessage, ToolError, EXIT_WRONG_USAGE, type ToolOptions } from './tool.ts';

const USAGE = `Usage: npm run restore -- --from <folder> [--unencrypted]
       npm run restore -- --in <folder>
  --from         a backup that npm run backup created
  --in           the newest backup that npm run backup -- --in created in this folder
  --unencrypted  accepts a backup of an earlier release, which is not encrypted and may have been changed
The key of the backups is in the file BACKUP_KEY_FILE, or where npm run backup created it.
Fills the installation that the environment names, which must be empty. Steps and explanations: docs/backup.md`;

/**
 * A backup contains no jobs. Jobs of events that are older than this, relative to the newest event, are assumed to have
 * ended. The jobs of newer events are created again.
 */
const JOBS_OLDER_THAN_ms = 24 * 60 * 60_000;

/**
 * `npm run restore`: fills an empty installation from a backup. After an interruption, the next call continues the
 * restore. Returns the exit code.
 */
export async function main(args: readonly string[], options: ToolOptions): Promise<number> {
  const values = readOptions(
    args,
    { from: { type: 'string' }, in: { type: 'string' }, unencrypted: { type: 'boolean', default: false } },
    USAGE,
  );
  if (values === null) return EXIT_WRONG_USAGE;
  const [named, ...others] = [values.from, values.in].filter((value) => value !== undefined);
  if (named === undefined || others.length > 0) {
    printMessage(USAGE);
    return EXIT_WRONG_USAGE;
  }
  const given = path.resolve(options.env['INIT_CWD'] ?? process.cwd(), named);
  const folder = values.in === undefined ? given : await findNewestBackup(given);
  if (folder === null) throw new ToolError(`${given} contains no complete backup. Nothing was restored.`);
  const closing = createResourceStack();
  try {
    const backup = values.unencrypted
      ? await openUnencryptedBackup(folder)
      : await openBackup(folder, () => requireKey(options.env));
    await checkBackup(backup, options.signal);
    if (!options.env['DATABASE_URL'] && !options.ownsDataDir)
      throw new ToolError('Alpenglow is running here. A backup is restored into an empty installation.');
    const installation = await openInstallation(options, closing, { isCopy: true });
    await migrate(installation.databaseUrl, {
      migrationsDir: path.join(options.rootDir, 'infra/migrations'),
      isRestore: true,
    });
    await restore(installation, backup, closing, options.signal);
    process.stdout.write(
      `Restored ${backup.manifest.events.count} events of ${backup.manifest.madeAt}, sha256 ` +
        `${backup.manifest.events.sha256}\n`,
    );
    printMessage('The next start builds the read models. All users have to sign in again.');
    return 0;
  } finally {
    await closing.closeAll();
  }
}

async function requireKey(env: NodeJS.ProcessEnv) {
  const file = backupKeyPath(env);
  const key = await readBackupKey(file);
  if (key) return key;
  throw new ToolError(
    `The key of the backups is not in ${file}. Put the key file there, or name it with BACKUP_KEY_FILE. ` +
      'Nothing was restored.',
  );
}

/** Checks the whole backup before the first write. Throws `ToolError` if a part of it is missing or damaged. */
async function checkBackup(backup: OpenedBackup, signal: AbortSignal | undefined): Promise<void> {
  const { folder, files: paths } = backup;
  const { files, events, blobs, secrets } = backup.manifest;
  const names = [
    paths.events,
    paths.blobIndex,
    ...tablesIn(backup).map(({ name }) => paths.table(name)),
    ...(secrets.included ? [paths.secrets] : []),
  ];
  for (const name of names) {
    const facts = files[name];
    if (!facts) throw new ToolError(`The manifest of ${folder} does not list ${name}. Nothing was restored.`);
    await checkFile(path.join(folder, name), facts, signal);
  }
  const checking = showProgress('Checking', 'pictures');
  let found = 0;
  await checkBlobs(backup, (count) => checking.update((found = count), count / blobs.count), signal).finally(() =>
    checking.stop(),
  );
  if (found !== blobs.count)
    throw new ToolError(
      `${folder} lists ${found} picture files, but the manifest states ${blobs.count}. Nothing was restored.`,
    );

  const digest = createEventDigest();
  for await (const event of eventsOf(backup, signal)) digest.addText(eventText(event));
  if (!isSameDigest(digest.value(), events))
    throw new ToolError(`${path.join(folder, paths.events)} differs from the manifest. Nothing was restored.`);
}

/** Returns the tables that a backup contains. Backups of earlier releases do not contain all of them. */
function tablesIn({ files, manifest }: OpenedBackup): readonly BackedUpTable[] {
  return BACKED_UP_TABLES.filter(
    ({ name, isMissingInEarlierBackups }) => isMissingInEarlierBackups !== true || files.table(name) in manifest.files,
  );
}

async function* eventsOf(
  { folder, files, key }: OpenedBackup,
  signal: AbortSignal | undefined,
): AsyncGenerator<StoredEvent> {
  for await (const line of readLines(path.join(folder, files.events), key)) {
    signal?.throwIfAborted();
    yield JSON.parse(line) as StoredEvent;
  }
}

async function restore(
  installation: Installation,
  backup: OpenedBackup,
  closing: ReturnType<typeof createResourceStack>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { config, pool, events, blobs, dataDir } = installation;
  const { folder, files, key, manifest, id } = backup;
  await requireStoppedServices(pool);
  await lockOutOtherRestores(pool, closing);
  const isContinued = await isContinuation(installation, id);
  const newSecrets = await secretsToKeep(installation, backup);
  const given = newSecrets ?? selectSecrets(config.secrets, ALL_SECRETS) ?? (await findSecrets(dataDir));
  if (given) await requireDataKeySecrets(given, backup);

  await pool.query(
    `create table if not exists ${RESTORE_MARKER_TABLE} as select $1::text as backup, now() as begun_at`,
    [id],
  );
  if (newSecrets) await storeSecrets(dataDir, newSecrets);
  const tables = tablesIn(backup);
  await resetAccountIdKey(pool, { isInBackup: tables.some(({ name }) => name === 'auth.account_id_keys') });
  for (const table of tables) await loadTable(pool, table, path.join(folder, files.table(table.name)), key, signal);

  const loading = showProgress('Restoring', 'pictures');
  await loadBlobs(blobs, backup, {
    isContinued,
    onLoaded: (count) => loading.update(count, count / manifest.blobs.count),
    signal,
  }).finally(() => loading.stop());

  const copying = showProgress('Restoring', 'events');
  const copied = await copyEvents(eventsOf(backup, signal), events.store, {
    signal,
    onProgress: ({ done }) => copying.update(done, done / manifest.events.count),
  }).finally(() => copying.stop());
  printMessage(`Restored ${copied.count - copied.found} events; ${copied.found} were already there.`);
  const checkpoints = await verifyEvents(events.store, manifest, signal);
  await events.flush();

  const secrets = selectSecrets(config.secrets, ALL_SECRETS) ?? (await findSecrets(dataDir));
  if (!secrets || !(await secretsMatchInstallation(secrets, installation)))
    throw new ToolError(
      'The secrets here do not unseal the restored data: they belong to another installation. ' +
        'Provide the right ones and run the same command again.',
    );
  // The fingerprints are replaced, because a service that was started here earlier may have created different secrets.
  await storeSecretFingerprints(pool, secrets, await findInitialSecret(secrets, installation));
  const reactors = REACTORS.map(({ name }) => ({ name, position: checkpoints.reactors }));
  await finish(
    pool,
    config.kafka ? [...reactors, { name: LIVE_RELAY_DUTY, position: checkpoints.relay }] : reactors,
    configuredEventStore(config),
  );
}

/** Returns the secret with which an earlier release has derived the account ids. */
async function findInitialSecret(secrets: Secrets, installation: Installation): Promise<string | undefined> {
  for (const accountIds of splitSecrets(secrets.accountIds))
    if (await secretsMatchInstallation({ ...secrets, accountIds }, installation)) return accountIds;
  return undefined;
}

/** Acquires a lock for the restore, which `closing` releases. Throws `ToolError` if another restore holds the lock. */
async function lockOutOtherRestores(pool: Pool, closing: ReturnType<typeof createResourceStack>): Promise<void> {
  const lock = await takeProcessLock(pool, 'alpenglow-restore', '');
  if (!lock) throw new ToolError('Another restore into this database is running.');
  closing.add(() => lock.release());
}

/**
 * Returns true if this installation contains an incomplete restore of the same backup, and false if it is empty. Throws
 * `ToolError` in all other cases.
 */
async function isContinuation({ pool, events }: Installation, id: string): Promise<boolean> {
  if ((await inspectDatabase(pool)).isBeingRestored) {
    const { rows } = await pool.query<{ backup: string }>(`select backup from ${RESTORE_MARKER_TABLE}`);
    if (rows[0]?.backup === id) return true;
    throw new ToolError(
      'The restore of another backup was interrupted here. Finish that one, or start with an empty installation.',
    );
  }
  const { rows: started } = await pool.query(`select name from rm.checkpoints where position <> '' limit 1`);
  const isEmpty =
    (await retryDuringOutages(() => events.store.readHead())) === START_POSITION &&
    started.length === 0 &&
    // The first start of a service creates a key of account ids. It is replaced, because no account uses it.
    (
      await Promise.all(
        BACKED_UP_TABLES.filter(({ name }) => name !== 'auth.account_id_keys').map((table) =>
          isEmptyTable(pool, table),
        ),
      )
    ).every(Boolean);
  if (!isEmpty)
    throw new ToolError(
      'This installation is not empty. A backup is restored into a new DATA_DIR, ' +
        'or a new database and a new event store. Nothing was changed.',
    );
  return false;
}

/**
 * Returns the secrets from the backup if they must be stored in this installation. Returns null if the installation
 * already has the right secrets. Throws `ToolError` if no secrets are available or if the installation has different
 * secrets.
 */
async function secretsToKeep({ config, dataDir }: Installation, backup: OpenedBackup): Promise<Secrets | null> {
  const { included, fingerprint } = backup.manifest.secrets;
  const available = selectSecrets(config.secrets, ALL_SECRETS) ?? (await findSecrets(dataDir));
  if (available) {
    if (fingerprint === null || fingerprintSecrets(available).includes(fingerprint)) return null;
    const location = config.secrets ? 'The environment (SECRET_*)' : `${dataDir} (secrets.json)`;
    throw new ToolError(
      `${location} contains the secrets of another installation, ` +
        'which cannot unseal the personal data in this backup. If a secret was replaced since ' +
        `${backup.manifest.madeAt}, add the earlier one to the current one, after a comma. Nothing was restored.`,
    );
  }
  if (!included) {
    throw new ToolError(
      'This backup does not contain the secrets. Without them, its personal data cannot be read and no user can ' +
        `sign in. Put the secrets.json of the old installation into ${dataDir}, or set SECRET_*, ` +
        'and run this again. Nothing was restored.',
    );
  }
  const stored = readBytes(path.join(backup.folder, backup.files.secrets), backup.key);
  return JSON.parse(await text(stored)) as Secrets;
}

/** A row of `auth.data_keys` in a backup. Backups of earlier releases have no `secret_id`. */
interface StoredKey {
  readonly account_id: string;
  /** The wrapped key as hex digits after `BYTEA_PREFIX`, or null if the key was destroyed. */
  readonly wrapped_key: string | null;
  readonly secret_id?: string | null;
}
const BYTEA_PREFIX = '\\x';

/**
 * Throws `ToolError` if a key in the backup is encrypted with a secret that is missing. A backup that was made during a
 * rotation needs two secrets.
 */
async function requireDataKeySecrets({ dataKeys }: Secrets, { folder, files, key, manifest }: OpenedBackup) {
  const available = secretIdsOf(dataKeys);
  const wrapping = createKeyWrapping(dataKeys);
  const missing = new Set<string>();
  for await (const line of readLines(path.join(folder, files.table('auth.data_keys')), key)) {
    const row = JSON.parse(line) as StoredKey;
    if (row.wrapped_key === null) continue;
    const wrapped = Buffer.from(row.wrapped_key.slice(BYTEA_PREFIX.length), 'hex');
    // Keys of earlier releases have no id of a secret, so the secret can only be tried.
    if (row.secret_id ? !available.includes(row.secret_id) : !wrapping.canUnwrap(row.account_id, wrapped))
      missing.add(row.secret_id ?? 'unknown');
  }
  if (missing.size > 0)
    throw new ToolError(
      `The backup of ${manifest.madeAt} needs another secret for data keys (id: ${[...missing].sort().join(', ')}). ` +
        'Add it to SECRET_DATA_KEYS (or dataKeys in secrets.json), after the current secret and a comma. ' +
        'Nothing was restored.',
    );
}

interface Checkpoints {
  /**
   * The position after which reactors handle events again. Reactors create jobs from events, and the jobs of events
   * after this position may be incomplete.
   */
  readonly reactors: Position;
  readonly relay: Position;
}

/**
 * Compares the events in the store with the manifest. Returns the positions after which the reactors and the relay of
 * live messages resume.
 */
async function verifyEvents(
  store: Installation['events']['store'],
  { events }: Manifest,
  signal: AbortSignal | undefined,
): Promise<Checkpoints> {
  const jobsSince =
    events.newestAt === null ? '' : new Date(Date.parse(events.newestAt) - JOBS_OLDER_THAN_ms).toISOString();
  let reactors = START_POSITION;
  let relay = START_POSITION;
  let isRecent = false;
  const verifying = showProgress('Verifying', 'events');
  await verifyCopy(store, events, {
    signal,
    onEvent: ({ position, meta }, done) => {
      isRecent ||= meta.at >= jobsSince;
      if (!isRecent) reactors = position;
      relay = position;
      verifying.update(done, done / events.count);
    },
  }).finally(() => verifying.stop());
  return { reactors, relay };
}

/**
 * Completes the restore in one transaction. Stores the positions of the reactors and of the relay for live messages,
 * and the kind of the event store. Removes the marker of the incomplete restore. No positions are stored for
 * projections, so they start at the first event.
 */
async function finish(
  pool: Pool,
  checkpoints: readonly { readonly name: string; readonly position: Position }[],
  eventStore: EventStoreInUse,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    for (const { name, position } of checkpoints) {
      await client.query(
        `insert into rm.checkpoints (name, version, position) values ($1, 1, $2)
         on conflict (name) do update set position = excluded.position, updated_at = now()`,
        [name, position],
      );
    }
    // The earlier installation may have finished these jobs after the backup. They therefore count as new jobs, so that
    // none of them sends a mail about the past (decision 0074).
    await client.query('update jobs.unfinished set enqueued_at = now(), check_at = now()');
    await storeEventStoreInUse(client, eventStore);
    await client.query(`drop table ${RESTORE_MARKER_TABLE}`);
    await client.query('commit');
  } finally {
    client.release(true);
  }
}
