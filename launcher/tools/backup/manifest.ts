import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { splitSecrets, type Secrets } from '@alpenglow/infra';
import { ToolError } from '../tool.ts';
import type { BackupKey } from './backup-key.ts';
import { writeBytes } from './files.ts';

/** Version of the backup format. It increases when older releases can no longer read the format. */
export const BACKUP_FORMAT = 2;
/** The format of the backups that are not encrypted. Earlier releases made them. */
const UNENCRYPTED_FORMAT = 1;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/u);
const count = z.number().int().min(0);
const file = z.object({ size_bytes: count, sha256 });

const manifestSchema = z.object({
  format: z.number().int(),
  /** The version of the product that made the backup. */
  version: z.string(),
  madeAt: z.iso.datetime(),
  events: z.object({
    count,
    /** Hash of all events, which `copy/event-digest.ts` computes. */
    sha256,
    /** Time of the latest event, from its field `meta.at`. Null if there is no event. */
    newestAt: z.iso.datetime().nullable(),
  }),
  tables: z.record(z.string(), count),
  blobs: z.object({ count, size_bytes: count }),
  secrets: z.object({
    included: z.boolean(),
    /**
     * Hash of the secrets, with the current ones of each list. It shows whether an installation has the same
     * secrets. It is null if the secrets were not available.
     */
    fingerprint: sha256.nullable(),
  }),
  /** All files of the backup except the manifest itself and the blobs. `blobs.ndjson.gz` lists the blobs. */
  files: z.record(z.string(), file),
});
export type Manifest = z.output<typeof manifestSchema>;

/** A backup whose manifest was read and authenticated. */
export interface OpenedBackup {
  readonly folder: string;
  /** Null if the backup is not encrypted. */
  readonly key: BackupKey | null;
  /** The paths of its files in `folder`. */
  readonly files: BackupPaths;
  readonly manifest: Manifest;
  /** Hash of the manifest, which identifies the backup. A restore can only be resumed with the same backup. */
  readonly id: string;
}

/** The paths of files in a backup's folder. */
interface BackupPaths {
  readonly manifest: string;
  readonly events: string;
  readonly blobIndex: string;
  readonly secrets: string;
  table(name: string): string;
}

const pathsWith = (ending: string): BackupPaths => ({
  manifest: `manifest.json${ending}`,
  events: `events.ndjson.gz${ending}`,
  blobIndex: `blobs.ndjson.gz${ending}`,
  secrets: `secrets.json${ending}`,
  table: (name) => `tables/${name}.ndjson.gz${ending}`,
});

const FILES_PER_FOLDER = 1_000;

export const BACKUP_FILES = {
  ...pathsWith('.age'),
  /** Contains the code that authenticates the stored bytes of the manifest. */
  authentication: 'manifest.hmac',
  blob: (number: number) => path.join('blobs', String(Math.floor(number / FILES_PER_FOLDER)), `${number}.age`),
} as const;
const UNENCRYPTED_FILES = pathsWith('');

/** Encrypts the manifest into the folder of a backup, and stores the code that authenticates it. */
export async function writeManifest(folder: string, manifest: Manifest, key: BackupKey): Promise<void> {
  const file = path.join(folder, BACKUP_FILES.manifest);
  await writeBytes(file, bytesOf(`${JSON.stringify(manifest, null, 2)}\n`), key);
  await writeFile(path.join(folder, BACKUP_FILES.authentication), `${key.authenticate(await readFile(file))}\n`, {
    mode: 0o600,
    flag: 'wx',
    flush: true,
  });
}

/** Returns a text as the bytes of a file. */
export async function* bytesOf(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
}

/**
 * Opens a backup and authenticates its manifest, which has the hash of every other file. Throws `ToolError` if the
 * folder contains no backup, a backup that this release cannot read, or a manifest that was changed or has another key.
 */
export async function openBackup(folder: string, readKey: () => Promise<BackupKey>): Promise<OpenedBackup> {
  const stored = await readStored(folder, BACKUP_FILES.manifest);
  if (stored === null) {
    if ((await readStored(folder, UNENCRYPTED_FILES.manifest)) === null) throw isNoBackup(folder, BACKUP_FILES);
    throw new ToolError(
      `${folder} is not encrypted, so a changed backup cannot be recognized. If you are sure that nobody has changed ` +
        'it, add --unencrypted. Nothing was restored.',
    );
  }
  const key = await readKey();
  const code = (await readStored(folder, BACKUP_FILES.authentication))?.toString('utf8').trim() ?? '';
  if (!key.isAuthentic(stored, code))
    throw new ToolError(
      `${path.join(folder, BACKUP_FILES.manifest)} was changed, or the backup has another key than ${key.file}. ` +
        'Nothing was restored.',
    );
  const decrypted = await text(key.decrypt(chunkOf(stored)));
  return {
    folder,
    key,
    files: BACKUP_FILES,
    ...identify(stored),
    manifest: parseManifest(folder, decrypted, BACKUP_FORMAT),
  };
}

/** Opens a backup of format 1, which is not encrypted. Throws `ToolError` like `openBackup`. */
export async function openUnencryptedBackup(folder: string): Promise<OpenedBackup> {
  const stored = await readStored(folder, UNENCRYPTED_FILES.manifest);
  if (stored === null) throw isNoBackup(folder, UNENCRYPTED_FILES);
  const manifest = parseManifest(folder, stored.toString('utf8'), UNENCRYPTED_FORMAT);
  return { folder, key: null, files: UNENCRYPTED_FILES, ...identify(stored), manifest };
}

const isNoBackup = (folder: string, files: BackupPaths) =>
  new ToolError(`${folder} is no backup: there is no ${files.manifest} in it.`);

const identify = (stored: Uint8Array) => ({ id: createHash('sha256').update(stored).digest('hex') });

async function* chunkOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function readStored(folder: string, name: string): Promise<Buffer | null> {
  return readFile(path.join(folder, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
}

function parseManifest(folder: string, content: string, expectedFormat: number): Manifest {
  const json = parse(content);
  const format = (json as { format?: unknown } | null)?.format;
  if (typeof format === 'number' && format > BACKUP_FORMAT)
    throw new ToolError(`${folder} was made by a newer version (format ${format}, this one reads ${BACKUP_FORMAT}).`);
  const parsed = manifestSchema.safeParse(json);
  if (!parsed.success || parsed.data.format !== expectedFormat)
    throw new ToolError(`The manifest of ${folder} is damaged. Nothing was restored.`);
  return parsed.data;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/**
 * Returns hashes of the secrets, with which two installations can be compared. There is one hash for each pair of a
 * secret for account ids and a secret for data keys, and the first one belongs to the current secrets. The hashes do
 * not reveal the secrets, because they are random and long.
 */
export function fingerprintSecrets({ accountIds, dataKeys, verificationCodes }: Secrets): readonly string[] {
  return splitSecrets(accountIds).flatMap((accountIdSecret) =>
    splitSecrets(dataKeys).map((dataKeySecret) =>
      createHash('sha256')
        .update(`alpenglow secrets\n${accountIdSecret}\n${dataKeySecret}\n${verificationCodes}`)
        .digest('hex'),
    ),
  );
}
