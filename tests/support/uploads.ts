import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { createMediaAccessTokens, loadSecrets } from '@alpenglow/infra';
import type { Client } from 'pg';
import { expect } from 'vitest';
import { expectDocumented } from './api-document.ts';
import { eventually } from './eventually.ts';
import { whenAvailable } from './when-available.ts';

/** A file to upload. `name` and `type` are sent with the file and may be wrong. */
export interface UploadFile {
  readonly bytes: Buffer;
  readonly field?: string;
  readonly name?: string;
  readonly type?: string;
}

export interface UploadResult {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Default file name and type of each kind of upload. */
const KINDS = {
  photos: { name: 'photo.jpg', type: 'image/jpeg' },
  video: { name: 'video.mp4', type: 'video/mp4' },
} as const;
export type UploadKind = keyof typeof KINDS;

/** Uploads files over HTTP to the running application at `url`. */
export async function upload(
  url: string,
  kind: UploadKind,
  files: readonly UploadFile[],
  token: string | null,
): Promise<UploadResult> {
  const form = new FormData();
  for (const { bytes, field = kind, name = KINDS[kind].name, type = KINDS[kind].type } of files)
    form.append(field, new Blob([new Uint8Array(bytes)], { type }), name);
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/uploads/${kind}`, { method: 'POST', body: form, headers });
  const text = await response.text();
  expectDocumented('POST', `/api/uploads/${kind}`, { status: response.status, headers: response.headers, text });
  return { status: response.status, headers: response.headers, body: JSON.parse(text) as UploadResult['body'] };
}

/**
 * Returns a signed URL of a photo or video that is not public. Its owner and moderators can load the file with this
 * URL. `url` may be the URL of any size of a photo.
 */
export async function signedUrl(productUrl: string, url: string, token: string): Promise<string> {
  const mediaId = /\/uploads\/(?:photos|video)\/([^/]+)/u.exec(url)?.[1] ?? '';
  const response = await whenAvailable(() =>
    fetch(`${productUrl}/api/media/${mediaId}/access`, { headers: { authorization: `Bearer ${token}` } }),
  );
  const { access } = (await response.json()) as { readonly access?: string | null };
  if (access === undefined) throw new Error(`The access to ${url} was rejected with ${response.status}`);
  return access === null ? url : `${url}?access=${encodeURIComponent(access)}`;
}

/**
 * Creates a function that adds the access token of a moderator to the URL of a photo. The function reads the secrets of
 * the product in `dataDir`, so it needs no running product.
 */
export async function createStaffUrls(dataDir: string): Promise<(mediaId: string, url: string) => string> {
  const tokens = createMediaAccessTokens((await loadSecrets(dataDir)).accountIds);
  return (mediaId, url) => `${url}?access=${tokens.issue(mediaId, 'staff').token}`;
}

/** Returns the files in the blob store of a product, including incomplete ones. Leaves out stock pictures. */
export async function blobFiles(dataDir: string): Promise<readonly string[]> {
  // The product can remove a folder while it is read.
  const entries = await eventually(() =>
    readdir(path.join(dataDir, 'blobs'), { recursive: true, withFileTypes: true }),
  );
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('demo-') && !entry.name.startsWith('demo-'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

/**
 * Waits until the worker has deleted all uploaded original files, which happens shortly after the response to an
 * upload. Returns the remaining files in the blob store.
 */
export function settledBlobFiles(dataDir: string): Promise<readonly string[]> {
  const filesWithoutOriginals = async () => {
    const files = await blobFiles(dataDir);
    expect(files.filter((file) => file.includes(`${path.sep}originals${path.sep}`))).toEqual([]);
    return files;
  };
  return eventually(filesWithoutOriginals);
}

/** Returns the event types of all photos and videos in order. Leaves out stock pictures. */
export async function mediaEventTypes(database: Client): Promise<readonly string[]> {
  const { rows } = await database.query<{ type: string }>(
    `select type from es.events where stream like 'media-%' and stream not like 'media-demo-%' order by position`,
  );
  return rows.map(({ type }) => type);
}

/** Waits until the product serves the largest variant of the last stock picture. */
export async function waitForStockPictures(url: string): Promise<void> {
  await eventually(async () =>
    expect((await fetch(`${url}/uploads/photos/demo-12/1600.jpg`, { method: 'HEAD' })).status).toBe(200),
  );
}
