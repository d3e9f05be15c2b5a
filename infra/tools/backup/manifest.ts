import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import type { Secrets } from '../../src/index.ts';
import { ToolError } from '../tool.ts';

/** Raised when a build of before could not read what this one writes. */
export const FORMAT = 1;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/u);
const count = z.number().int().min(0);
const file = z.object({ size_bytes: count, sha256 });

const manifestSchema = z.object({
  format: z.number().int(),
  /** Of the product that made it. */
  version: z.string(),
  madeAt: z.iso.datetime(),
  events: z.object({
    count,
    /** The digest of `copy/event-digest.ts`. */
    sha256,
    /** The latest `meta.at`; null when there is no event. */
    newestAt: z.iso.datetime().nullable(),
  }),
  /** Rows by table. */
  tables: z.record(z.string(), count),
  blobs: z.object({ count, size_bytes: count }),
  secrets: z.object({
    included: z.boolean(),
    /** Tells whether secrets are those of the installation, without giving them away; null when they were not known. */
    fingerprint: sha256.nullable(),
  }),
  /** Every file but this one and the blobs, which `blobs.ndjson.gz` lists. */
  files: z.record(z.string(), file),
});
export type Manifest = z.output<typeof manifestSchema>;

export interface ReadManifest {
  readonly manifest: Manifest;
  /** Names the backup: a restore that was broken off goes on with this one alone. */
  readonly id: string;
}

/** What lies where in a backup's folder. */
export const FILES = {
  manifest: 'manifest.json',
  events: 'events.ndjson.gz',
  blobIndex: 'blobs.ndjson.gz',
  secrets: 'secrets.json',
  table: (name: string) => `tables/${name}.ndjson.gz`,
  blob: (key: string) => path.join('blobs', ...key.split('/')),
} as const;

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(path.join(folder, FILES.manifest), `${JSON.stringify(manifest, null, 2)}\n`, {
    mode: 0o600,
    flag: 'wx',
    flush: true,
  });
}

/** Throws `ToolError` when the folder holds no backup, or one this build cannot read. */
export async function readManifest(folder: string): Promise<ReadManifest> {
  const text = await readFile(path.join(folder, FILES.manifest), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
      throw new ToolError(`${folder} is no backup: there is no ${FILES.manifest} in it.`);
    throw error;
  });
  const json = parse(text);
  const format = (json as { format?: unknown } | null)?.format;
  if (typeof format === 'number' && format > FORMAT)
    throw new ToolError(`${folder} was made by a newer version (format ${format}, this one reads ${FORMAT}).`);
  const parsed = manifestSchema.safeParse(json);
  if (!parsed.success) throw new ToolError(`${path.join(folder, FILES.manifest)} is damaged. Nothing was restored.`);
  return { manifest: parsed.data, id: createHash('sha256').update(text).digest('hex') };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Equal for equal secrets. They are random and long, so nothing can be told from it. */
export function fingerprintOf({ accountIds, dataKeys, verificationCodes }: Secrets): string {
  return createHash('sha256')
    .update(`alpenglow secrets\n${accountIds}\n${dataKeys}\n${verificationCodes}`)
    .digest('hex');
}
