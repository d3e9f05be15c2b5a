import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import type { Secrets } from '@alpenglow/infra';
import { ToolError } from '../tool.ts';

/** Version of the backup format. It increases when older releases can no longer read the format. */
export const BACKUP_FORMAT = 1;

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
     * Hash of the secrets. It shows whether an installation has the same secrets. It is null if the secrets were not
     * available.
     */
    fingerprint: sha256.nullable(),
  }),
  /** All files of the backup except the manifest itself and the blobs. `blobs.ndjson.gz` lists the blobs. */
  files: z.record(z.string(), file),
});
export type Manifest = z.output<typeof manifestSchema>;

export interface IdentifiedManifest {
  readonly manifest: Manifest;
  /** Hash of the manifest, which identifies the backup. A restore can only be resumed with the same backup. */
  readonly id: string;
}

/** The paths of the files in a backup's folder. */
export const BACKUP_FILES = {
  manifest: 'manifest.json',
  events: 'events.ndjson.gz',
  blobIndex: 'blobs.ndjson.gz',
  secrets: 'secrets.json',
  table: (name: string) => `tables/${name}.ndjson.gz`,
  blob: (key: string) => path.join('blobs', ...key.split('/')),
} as const;

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(path.join(folder, BACKUP_FILES.manifest), `${JSON.stringify(manifest, null, 2)}\n`, {
    mode: 0o600,
    flag: 'wx',
    flush: true,
  });
}

/**
 * Reads the manifest of a backup. Throws `ToolError` if the folder contains no backup, or a backup that this release
 * cannot read.
 */
export async function readManifest(folder: string): Promise<IdentifiedManifest> {
  const text = await readFile(path.join(folder, BACKUP_FILES.manifest), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
        throw new ToolError(`${folder} is no backup: there is no ${BACKUP_FILES.manifest} in it.`);
      throw error;
    },
  );
  const json = parse(text);
  const format = (json as { format?: unknown } | null)?.format;
  if (typeof format === 'number' && format > BACKUP_FORMAT)
    throw new ToolError(`${folder} was made by a newer version (format ${format}, this one reads ${BACKUP_FORMAT}).`);
  const parsed = manifestSchema.safeParse(json);
  if (!parsed.success)
    throw new ToolError(`${path.join(folder, BACKUP_FILES.manifest)} is damaged. Nothing was restored.`);
  return { manifest: parsed.data, id: createHash('sha256').update(text).digest('hex') };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Returns a hash of the secrets, with which two installations can be compared. The hash does not reveal the secrets,
 * because they are random and long.
 */
export function fingerprintSecrets({ accountIds, dataKeys, verificationCodes }: Secrets): string {
  return createHash('sha256')
    .update(`alpenglow secrets\n${accountIds}\n${dataKeys}\n${verificationCodes}`)
    .digest('hex');
}
