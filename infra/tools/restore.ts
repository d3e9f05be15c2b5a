import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { START, type Position } from '@alpenglow/domain';
import { REACTORS, RELAY } from '@alpenglow/projectors';
import {
  createClosing,
  eventStoreKind,
  findSecrets,
  keepSecrets,
  migrate,
  putEventStoreInUse,
  putSecretsInUse,
  RESTORE_MARK_TABLE,
  type EventStoreKind,
  type Pool,
  type Secrets,
} from '../src/index.ts';
import { checkBlobs, loadBlobs } from './backup/blobs.ts';
import { checkFile, readLines } from './backup/files.ts';
import { FILES, fingerprintOf, readManifest, type Manifest, type ReadManifest } from './backup/manifest.ts';
import { isFitting } from './backup/secrets.ts';
import { isEmptyTable, KEPT_TABLES, loadTable } from './backup/tables.ts';
import { copyEvents, verifyCopy } from './copy/copy-events.ts';
import { createEventDigest, eventText, isSameDigest, type StoredEvent } from './copy/event-digest.ts';
import { patiently } from './copy/read-events.ts';
import { refuseWhileServicesRun } from './database.ts';
import { openInstallation, type Installation } from './installation.ts';
import { showProgress } from './progress.ts';
import { readOptions, say, ToolError, WRONG_USAGE, type ToolOptions } from './tool.ts';

const USAGE = `Usage: npm run restore -- --from <folder>
  <folder>   what npm run backup made
Fills the installation that the environment names, which must be empty. Steps and explanations: docs/backup.md`;

/** Jobs are not in a backup. One that is older than this was done, or given up on. */
const JOBS_OLDER_THAN_ms = 24 * 60 * 60_000;

/** `npm run restore`: fills an empty installation with what a backup holds. Broken off, it goes on when it is called again. Answers the exit code. */
export async function main(args: readonly string[], options: ToolOptions): Promise<number> {
  const given = readOptions(args, { from: { type: 'string' } }, USAGE);
  if (given === null) return WRONG_USAGE;
  if (given.from === undefined) {
    say(USAGE);
    return WRONG_USAGE;
  }
  const folder = path.resolve(options.env['INIT_CWD'] ?? process.cwd(), given.from);
  const closing = createClosing();
  try {
    const backup = await readManifest(folder);
    await checkBackup(folder, backup.manifest, options.signal);
    if (!options.env['DATABASE_URL'] && !options.ownsDataDir)
      throw new ToolError('Alpenglow is running here. A backup is restored into an empty installation.');
    const installation = await openInstallation(options, closing, { isCopy: true });
    await migrate(installation.databaseUrl, {
      migrationsDir: path.join(options.rootDir, 'infra/migrations'),
      isRestore: true,
    });
    await restore(installation, folder, backup, closing, options.signal);
    process.stdout.write(
      `Restored ${backup.manifest.events.count} events of ${backup.manifest.madeAt}, sha256 ${backup.manifest.events.sha256}\n`,
    );
    say('The next start builds the read models. Everybody has to sign in again.');
    return 0;
  } finally {
    await closing.closeAll();
  }
}

/** Throws `ToolError` when anything of a backup is missing or damaged: better to know before the first write. */
async function checkBackup(
  folder: string,
  { files, events, blobs, secrets }: Manifest,
  signal: AbortSignal | undefined,
): Promise<void> {
  const names = [
    FILES.events,
    FILES.blobIndex,
    ...KEPT_TABLES.map(({ name }) => FILES.table(name)),
    ...(secrets.included ? [FILES.secrets] : []),
  ];
  for (const name of names) {
    const facts = files[name];
    if (!facts) throw new ToolError(`The manifest of ${folder} does not list ${name}. Nothing was restored.`);
    await checkFile(path.join(folder, name), facts, signal);
  }
  const checking = showProgress('Checking', 'pictures');
  let found = 0;
  await checkBlobs(folder, (count) => checking.update((found = count), count / blobs.count), signal).finally(() =>
    checking.stop(),
  );
  if (found !== blobs.count)
    throw new ToolError(
      `${folder} lists ${found} files of pictures where there should be ${blobs.count}. Nothing was restored.`,
    );

  const digest = createEventDigest();
  for await (const event of eventsOf(folder, signal)) digest.addText(eventText(event));
  if (!isSameDigest(digest.value(), events))
    throw new ToolError(
      `${path.join(folder, FILES.events)} does not hold what the manifest says. Nothing was restored.`,
    );
}

async function* eventsOf(folder: string, signal: AbortSignal | undefined): AsyncGenerator<StoredEvent> {
  for await (const line of readLines(path.join(folder, FILES.events))) {
    signal?.throwIfAborted();
    yield JSON.parse(line) as StoredEvent;
  }
}

async function restore(
  installation: Installation,
  folder: string,
  { manifest, id }: ReadManifest,
  closing: ReturnType<typeof createClosing>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { config, pool, events, blobs, dataDir } = installation;
  await refuseWhileServicesRun(pool);
  await beAlone(pool, closing);
  const isContinued = await isOurs(installation, id);
  const newSecrets = await secretsToKeep(installation, folder, manifest);

  await pool.query(`create table if not exists ${RESTORE_MARK_TABLE} as select $1::text as backup, now() as begun_at`, [
    id,
  ]);
  if (newSecrets) await keepSecrets(dataDir, newSecrets);
  for (const table of KEPT_TABLES) await loadTable(pool, table, path.join(folder, FILES.table(table.name)), signal);

  const loading = showProgress('Restoring', 'pictures');
  await loadBlobs(blobs, folder, {
    isContinued,
    onLoaded: (count) => loading.update(count, count / manifest.blobs.count),
    signal,
  }).finally(() => loading.stop());

  const copying = showProgress('Restoring', 'events');
  const copied = await copyEvents(eventsOf(folder, signal), events.store, {
    signal,
    onProgress: ({ done }) => copying.update(done, done / manifest.events.count),
  }).finally(() => copying.stop());
  say(`Restored ${copied.count - copied.found} events; ${copied.found} were there.`);
  const checkpoints = await verifyEvents(events.store, manifest, signal);
  await events.flush();

  const secrets = config.secrets ?? (await findSecrets(dataDir));
  if (!secrets || !(await isFitting(secrets, installation)))
    throw new ToolError(
      'The secrets here do not open what was restored: they are those of another installation. Put the right ones in place and run the same command again.',
    );
  // A service that was started here before may have made others.
  await putSecretsInUse(pool, secrets);
  const reactors = REACTORS.map(({ name }) => ({ name, position: checkpoints.reactors }));
  await finish(
    pool,
    config.kafka ? [...reactors, { name: RELAY, position: checkpoints.relay }] : reactors,
    eventStoreKind(config.eventStoreUrl),
  );
}

/** Holds a lock for as long as this process works on the database. */
async function beAlone(pool: Pool, closing: ReturnType<typeof createClosing>): Promise<void> {
  const client = await pool.connect();
  closing.add(async () => client.release(true));
  const { rows } = await client.query<{ taken: boolean }>(
    `select pg_try_advisory_lock(hashtext('alpenglow-restore'), 0) as taken`,
  );
  if (rows[0]?.taken !== true) throw new ToolError('Another restore into this database is under way.');
}

/** Whether this very backup was being restored here before; false for an empty installation. Throws `ToolError` for anything else. */
async function isOurs({ pool, events }: Installation, id: string): Promise<boolean> {
  const { rows: marks } = await pool.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    RESTORE_MARK_TABLE,
  ]);
  if (marks[0]?.found === true) {
    const { rows } = await pool.query<{ backup: string }>(`select backup from ${RESTORE_MARK_TABLE}`);
    if (rows[0]?.backup === id) return true;
    throw new ToolError(
      'The restore of another backup was broken off here. Finish that one, or begin with an empty installation.',
    );
  }
  const { rows: begun } = await pool.query(`select name from rm.checkpoints where position <> '' limit 1`);
  const isEmpty =
    (await patiently(() => events.store.head())) === START &&
    begun.length === 0 &&
    (await Promise.all(KEPT_TABLES.map((table) => isEmptyTable(pool, table)))).every(Boolean);
  if (!isEmpty)
    throw new ToolError(
      'This installation is not empty. A backup is restored into a new DATA_DIR, or a new database and a new event store. Nothing was changed.',
    );
  return false;
}

/** The secrets that have to be put in place here, or null when the right ones are. Throws `ToolError` when there are none, or others. */
async function secretsToKeep(
  { config, dataDir }: Installation,
  folder: string,
  { secrets: { included, fingerprint } }: Manifest,
): Promise<Secrets | null> {
  const present = config.secrets ?? (await findSecrets(dataDir));
  if (present) {
    if (fingerprint === null || fingerprintOf(present) === fingerprint) return null;
    const where = config.secrets ? 'The environment (SECRET_*)' : `${dataDir} (secrets.json)`;
    throw new ToolError(
      `${where} holds the secrets of another installation: with them, nothing personal in this backup could be read. Nothing was restored.`,
    );
  }
  if (!included) {
    throw new ToolError(
      `The secrets are not in this backup, and without them nothing personal in it can be read and nobody can sign in. Put the secrets.json of the old installation into ${dataDir}, or set SECRET_*, and run this again. Nothing was restored.`,
    );
  }
  return JSON.parse(await readFile(path.join(folder, FILES.secrets), 'utf8')) as Secrets;
}

interface Checkpoints {
  /** Before the first event whose job may not have been done. */
  readonly reactors: Position;
  readonly relay: Position;
}

/** Holds what the store has now against the manifest, and finds where reactors and the relay are to go on. */
async function verifyEvents(
  store: Installation['events']['store'],
  { events }: Manifest,
  signal: AbortSignal | undefined,
): Promise<Checkpoints> {
  const jobsSince =
    events.newestAt === null ? '' : new Date(Date.parse(events.newestAt) - JOBS_OLDER_THAN_ms).toISOString();
  let reactors = START;
  let relay = START;
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

/** Has reactors and relay go on from their places and says, with the same commit, where the events are and that the restore is over. Projections begin at the first event. */
async function finish(
  pool: Pool,
  checkpoints: readonly { readonly name: string; readonly position: Position }[],
  eventsAreIn: EventStoreKind,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    for (const { name, position } of checkpoints) {
      await client.query(
        'insert into rm.checkpoints (name, version, position) values ($1, 1, $2) on conflict (name) do update set position = excluded.position, updated_at = now()',
        [name, position],
      );
    }
    await putEventStoreInUse(client, eventsAreIn);
    await client.query(`drop table ${RESTORE_MARK_TABLE}`);
    await client.query('commit');
  } finally {
    client.release(true);
  }
}
