import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Decrypter } from 'age-encryption';

/** Decrypts the bytes of one file of a backup, as `age --decrypt --identity <key file>` does. */
export async function decryptFile(file: string, keyFile: string): Promise<Buffer> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(/^AGE-SECRET-KEY-1\w+$/mu.exec(await readFile(keyFile, 'utf8'))?.[0] ?? '');
  return Buffer.from(await decrypter.decrypt(await readFile(file)));
}

interface BlobEntry {
  readonly key: string;
  readonly number: number;
}

/**
 * Converts a backup into the unencrypted format of earlier releases (format 1), in the new folder `to`. The tests read
 * the content of a backup from this folder, and restore it with `--unencrypted`.
 */
export async function convertToUnencrypted(backup: string, keyFile: string, to: string): Promise<void> {
  await mkdir(path.join(to, 'tables'), { recursive: true, mode: 0o700 });
  const files: Record<string, { size_bytes: number; sha256: string }> = {};
  const store = async (name: string, bytes: Uint8Array) => {
    const file = path.join(to, name);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, bytes, { mode: 0o600 });
    return { size_bytes: bytes.byteLength, sha256: createHash('sha256').update(bytes).digest('hex') };
  };
  const names = [...(await readdir(backup)), ...(await readdir(path.join(backup, 'tables'))).map((n) => `tables/${n}`)];
  for (const name of names.filter((file) => file.endsWith('.age'))) {
    const plainName = name.slice(0, -'.age'.length);
    files[plainName] = await store(plainName, await decryptFile(path.join(backup, name), keyFile));
  }
  const index: string[] = [];
  const lines = gunzipSync(await readFile(path.join(to, 'blobs.ndjson.gz'))).toString('utf8');
  for (const line of lines.split('\n').filter(Boolean)) {
    const { key, number } = JSON.parse(line) as BlobEntry;
    const stored = path.join(backup, 'blobs', String(Math.floor(number / 1_000)), `${number}.age`);
    index.push(JSON.stringify({ key, ...(await store(path.join('blobs', key), await decryptFile(stored, keyFile))) }));
  }
  files['blobs.ndjson.gz'] = await store('blobs.ndjson.gz', gzipSync(index.map((line) => `${line}\n`).join('')));
  const { ['manifest.json']: _itself, ...listed } = files;
  const manifest = JSON.parse(await readFile(path.join(to, 'manifest.json'), 'utf8')) as { files: object };
  await writeFile(
    path.join(to, 'manifest.json'),
    `${JSON.stringify({ ...manifest, format: 1, files: listed }, null, 2)}\n`,
  );
}
