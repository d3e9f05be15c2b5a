import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader, type FileEntry } from '@zip.js/zip.js';
import { expect } from 'vitest';

/** Downloads the export of a person's data and returns its files by name. */
export async function readExport(url: string, token: string): Promise<ReadonlyMap<string, Buffer>> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/zip');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const zip = new ZipReader(new Uint8ArrayReader(new Uint8Array(await response.arrayBuffer())));
  const entries = (await zip.getEntries()).filter((entry): entry is FileEntry => !entry.directory);
  const files = await Promise.all(
    entries.map(
      async (entry) =>
        [entry.filename, Buffer.from(await entry.getData(new Uint8ArrayWriter(), { checkSignature: true }))] as const,
    ),
  );
  return new Map(files);
}
