import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { progressTowards, type Position } from '@alpenglow/domain';
import { acquireLock, AlreadyRunning } from '../embedded/launcher/lock.mjs';
import { createClosing, findSecrets, readVersion, type Secrets } from '../src/index.ts';
import { saveBlobs } from './backup/blobs.ts';
import { syncFolder, writeBytes, writeLines, type FileFacts } from './backup/files.ts';
import { FILES, fingerprintOf, FORMAT, writeManifest, type Manifest } from './backup/manifest.ts';
import { isFitting } from './backup/secrets.ts';
import { dumpTable, KEPT_TABLES } from './backup/tables.ts';
import { createEventDigest, eventText, type StoredEvent } from './copy/event-digest.ts';
import { patiently, readEvents } from './copy/read-events.ts';
import { lookAt, openInstallation, type Installation } from './installation.ts';
import { showProgress } from './progress.ts';
import { readOptions, say, ToolError, WRONG_USAGE, type ToolOptions } from './tool.ts';

const USAGE = `Usage: npm run backup -- --to <folder> [--with-secrets]
  <folder>        is made; must not be there yet
  --with-secrets  also the secrets that open personal data and lead from addresses to accounts
What is in it, and how to restore: docs/backup.md`;

const PRIVATE_FOLDER = 0o700;

/** `npm run backup`: copies all that cannot be made again into a folder, while the product runs or not. Answers the exit code. */
export async function main(args: readonly string[], options: ToolOptions): Promise<number> {
  const given = readOptions(
    args,
    { to: { type: 'string' }, 'with-secrets': { type: 'boolean', default: false } },
    USAGE,
  );
  if (given === null) return WRONG_USAGE;
  if (given.to === undefined) {
    say(USAGE);
    return WRONG_USAGE;
  }
  // npm goes to the project's folder; INIT_CWD is where the person stands.
  const target = path.resolve(options.env['INIT_CWD'] ?? process.cwd(), given.to);
  const closing = createClosing();
  try {
    await wholeOrNotAtAll(target, async (folder) => {
      const installation = await openWhatIsThere(options, closing);
      const secrets = await secretsFor(installation, given['with-secrets']);
      await backUp(installation, folder, { secrets, withSecrets: given['with-secrets'], options });
    });
    process.stdout.write(`Backed up to ${target}\n`);
    if (!given['with-secrets'])
      say(
        'The secrets are not in it. Without them nothing personal in it can be read and nobody can sign in: keep them elsewhere (SECRET_*, or secrets.json in DATA_DIR).',
      );
    return 0;
  } finally {
    await closing.closeAll();
  }
}

/** Has a folder filled under another name, and gives it its own once it is complete. What was broken off earlier is removed. */
async function wholeOrNotAtAll(target: string, fill: (folder: string) => Promise<void>): Promise<void> {
  if (existsSync(target)) throw new ToolError(`${target} is there already. A backup makes its folder itself.`);
  const draft = `${target}.unfinished`;
  await mkdir(path.dirname(target), { recursive: true });
  const lock = await acquireLock(`${draft}.lock`).catch((error: unknown) => {
    throw error instanceof AlreadyRunning
      ? new ToolError(`Another backup writes to ${target}: ${error.message}.`)
      : error;
  });
  try {
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: PRIVATE_FOLDER });
    await fill(draft);
    await rename(draft, target);
    await syncFolder(path.dirname(target));
  } finally {
    await rm(draft, { recursive: true, force: true });
    lock.release();
  }
}

/** The installation. Throws `ToolError` when there is none: a tool that makes an empty one and backs it up would look like success. */
async function openWhatIsThere(options: ToolOptions, closing: ReturnType<typeof createClosing>): Promise<Installation> {
  const { DATABASE_URL: databaseUrl, DATA_DIR: dataDir } = options.env;
  const folder = path.resolve(options.rootDir, dataDir || '.data');
  if (!databaseUrl && !existsSync(path.join(folder, 'postgres.json')))
    throw new ToolError(
      `There is no installation in ${folder}. Name yours by DATA_DIR, or by DATABASE_URL and the rest of its environment.`,
    );
  const installation = await openInstallation(options, closing);
  const { isOurs, isBeingRestored } = await lookAt(installation.pool);
  if (!isOurs) throw new ToolError('There is no installation in this database.');
  if (isBeingRestored) throw new ToolError('This installation is only half restored: finish that first.');
  return installation;
}

/** The secrets, if they can be had here. Throws `ToolError` when they are another installation's. */
async function secretsFor(installation: Installation, isNeeded: boolean): Promise<Secrets | null> {
  const secrets = installation.config.secrets ?? (await findSecrets(installation.dataDir));
  if (secrets === null && isNeeded)
    throw new ToolError(
      'The secrets are not here: set SECRET_ACCOUNT_IDS, SECRET_DATA_KEYS and SECRET_VERIFICATION_CODES, or DATA_DIR to where secrets.json lies.',
    );
  if (secrets === null || (await isFitting(secrets, installation))) return secrets;
  throw new ToolError(
    'The secrets here (SECRET_*, or secrets.json in DATA_DIR) do not open what this installation holds: they are those of another one.',
  );
}

interface Wishes {
  readonly secrets: Secrets | null;
  readonly withSecrets: boolean;
  readonly options: ToolOptions;
}

/**
 * Fills a folder, in an order that makes it consistent while others write: the head first, which says what history is saved. An
 * account's key is kept before the first event that needs it, and a photo's bytes before the event that tells of them; so keys and
 * blobs that are read after the head hold all that the events up to it need. The events come last: they never change.
 */
async function backUp(
  { pool, events, blobs }: Installation,
  folder: string,
  { secrets, withSecrets, options: { rootDir, signal } }: Wishes,
): Promise<void> {
  const files: Record<string, FileFacts> = {};
  const madeAt = new Date().toISOString();
  const head = await patiently(() => events.store.head(), signal);

  const tables: Record<string, number> = {};
  await mkdir(path.join(folder, 'tables'), { mode: PRIVATE_FOLDER });
  for (const table of KEPT_TABLES) {
    const rows = counted(dumpTable(pool, table));
    const file = FILES.table(table.name);
    files[file] = await writeLines(path.join(folder, file), rows.items, signal);
    tables[table.name] = rows.count();
  }

  const saved = { count: 0, size_bytes: 0 };
  const index = async function* () {
    for await (const line of saveBlobs(blobs, folder, signal)) {
      saved.count += 1;
      saved.size_bytes += (JSON.parse(line) as FileFacts).size_bytes;
      yield line;
    }
  };
  say('Saving pictures');
  files[FILES.blobIndex] = await writeLines(path.join(folder, FILES.blobIndex), index(), signal);
  say(`Saved ${saved.count} files of pictures, ${(saved.size_bytes / 1e6).toFixed(1)} MB`);

  const history = saveEvents(events.store, head, signal);
  files[FILES.events] = await writeLines(path.join(folder, FILES.events), history.lines(), signal);

  if (secrets && withSecrets)
    files[FILES.secrets] = await writeBytes(
      path.join(folder, FILES.secrets),
      textBytes(`${JSON.stringify(secrets, null, 2)}\n`),
      signal,
    );
  const manifest: Manifest = {
    format: FORMAT,
    version: await readVersion(rootDir),
    madeAt,
    events: history.facts(),
    tables,
    blobs: saved,
    secrets: { included: withSecrets, fingerprint: secrets && fingerprintOf(secrets) },
    files,
  };
  await writeManifest(folder, manifest);
  await syncFolder(folder);
  say(`Saved ${manifest.events.count} events, sha256 ${manifest.events.sha256}`);
}

/** Every event up to `head` as it is stored, a line each; afterwards, what the manifest says of them. */
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
          progress.update(digest.count, progressTowards(position, head));
          yield JSON.stringify(event satisfies StoredEvent);
        }
      } finally {
        progress.stop();
      }
    },
    facts: (): Manifest['events'] => ({ ...digest.value(), newestAt }),
  };
}

function counted(items: AsyncIterable<string>) {
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

async function* textBytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
