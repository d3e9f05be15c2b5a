import {
  LARGEST_VARIANT,
  originalBlobKey,
  publicBlobKeys,
  toUserView,
  type VIDEO_CONTENT_TYPES,
  type RegisteredAccount,
} from '@alpenglow/domain';
import { MEDIA_ITEMS, type StaffReads, type ZipFile, type SelectedRow } from '@alpenglow/infra';
import { Readable } from 'node:stream';
import type { Dependencies } from '../dependencies.ts';
import { holdOf } from '../uploads/holds.ts';
import { readOwnEvents, type OwnEventsDependencies } from './own-events.ts';

export type ExportDependencies = OwnEventsDependencies &
  Dependencies<'pool' | 'blobs' | 'staffReads' | 'adminEmail' | 'progress'>;

/** The person whose personal data is exported. */
export interface ExportedPerson extends RegisteredAccount {
  /** Time in ISO 8601 format when the account was closed. Null while the account is open. */
  readonly closedAt: string | null;
}

/** The README file of a data export. It lists what the archive contains and what it omits. */
const README =
  'This archive contains all data that this site stores about you.\n\n' +
  'account.json      your account in its current state, or in its state when it was closed\n' +
  'events.json       all events about you, in the terms of our system: your account, your ad, ' +
  'favorites, posts, marks, follows,\n' +
  '                  reviews you wrote, reports you filed, decisions about your content, your consents\n' +
  'staff-reads.json  when our staff viewed your data in the last year, how often, and with which operation\n' +
  'media/            your photos (the largest stored size; originals are deleted) and videos, ' +
  'without those that a moderator removed\n\n' +
  'Not included: the hash of your password and other secrets, the names and ids of our staff and of other people, ' +
  'confidential statements of other people, and reviews that are no longer shown.\n' +
  'Times are ISO 8601 in UTC.\n';
const READS_PAGE = 500;
const MAX_READS = 20_000;
/** The read models that list the files of an account. */
const FILE_LIST_READ_MODELS = ['media_items', 'moderation_cases'];

/**
 * Yields the files of a person's data export one after another. Long files are streamed. Rejects when `signal` aborts.
 */
export async function* createExportFiles(
  person: ExportedPerson,
  deps: ExportDependencies,
  signal: AbortSignal,
): AsyncGenerator<ZipFile> {
  const { accountId, registeredAt, closedAt } = person;
  const account = { ...toUserView(person, deps.adminEmail), registeredAt, closedAt };
  yield { name: 'README.txt', bytes: README, isCompressed: true };
  yield {
    name: 'account.json',
    bytes: `${JSON.stringify(account, null, 2)}\n`,
    isCompressed: true,
  };
  yield {
    name: 'events.json',
    bytes: Readable.from(toJsonList(readOwnEvents(accountId, person.registeredAt, deps, signal))),
    isCompressed: true,
  };
  yield {
    name: 'staff-reads.json',
    bytes: Readable.from(toJsonList(listStaffReads(person, deps.staffReads))),
    isCompressed: true,
  };
  yield* listMedia(person, deps, signal);
}

/** Yields the JSON text of a list, one item at a time. */
async function* toJsonList(items: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  let before = '[\n';
  for await (const item of items) {
    yield Buffer.from(`${before}${JSON.stringify(item)}`);
    before = ',\n';
  }
  yield Buffer.from(before === '[\n' ? '[]\n' : '\n]\n');
}

/**
 * Yields the accesses of staff to the data of the account since its sign-up. Earlier accesses concern a closed account
 * with the same id.
 */
async function* listStaffReads(
  { accountId, registeredAt }: RegisteredAccount,
  staffReads: StaffReads,
): AsyncGenerator<unknown> {
  let before: string | null = null;
  for (let count = 0; count < MAX_READS; count += READS_PAGE) {
    const page = await staffReads.list({ staffId: null, subjectId: accountId, before, limit: READS_PAGE });
    for (const { at, lastAt, reads, what } of page) {
      if (at >= registeredAt) yield { at, lastAt, reads, what };
      // An entry of an earlier build can begin before the sign-up. Only the time of its last read is known.
      else if (lastAt >= registeredAt) yield { at: lastAt, lastAt, reads: 1, what };
    }
    if (page.length < READS_PAGE) return;
    before = page.at(-1)?.id ?? null;
  }
}

/** The file extension for every content type of a video. */
const VIDEO_EXTENSIONS: Readonly<Record<(typeof VIDEO_CONTENT_TYPES)[number], string>> = {
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/x-msvideo': 'avi',
  'video/webm': 'webm',
};

const FILE = MEDIA_ITEMS.select(['media_id', 'kind', 'content_type']);

/**
 * Yields the stored files of the photos and videos of an account that no moderator has removed. First waits
 * for the read models, for at most `WAIT_POSITION_MS`, so that the export contains a file that was just uploaded.
 */
async function* listMedia(
  { accountId, registeredAt }: RegisteredAccount,
  { pool, blobs, store, progress }: ExportDependencies,
  signal: AbortSignal,
): AsyncGenerator<ZipFile> {
  const head = await store.readHead();
  await Promise.all(FILE_LIST_READ_MODELS.map((name) => progress.waitFor(name, head, signal)));
  signal.throwIfAborted();
  const { rows } = await pool.query<SelectedRow<typeof FILE>>(
    `select ${FILE}
       from ${MEDIA_ITEMS.table}
      where owner_id = $1 and uploaded_at >= $2 and ${holdOf('media_id')} is distinct from 'removed'
      order by uploaded_at, media_id`,
    [accountId, registeredAt],
  );
  for (const { media_id: mediaId, kind, content_type: type } of rows) {
    signal.throwIfAborted();
    const key = kind === 'photo' ? `${publicBlobKeys.photo(mediaId)}${LARGEST_VARIANT}` : publicBlobKeys.video(mediaId);
    // The content type of a processed video. Null for photos, and for videos that are not processed yet.
    const video = (type ?? 'video/mp4') as keyof typeof VIDEO_EXTENSIONS;
    const name = `media/${mediaId}.${kind === 'photo' ? 'jpg' : VIDEO_EXTENSIONS[video]}`;
    for (const [from, to] of [
      [key, name],
      [originalBlobKey(mediaId), `media/${mediaId}.original`],
    ] as const) {
      if ((await blobs.getInfo(from)) === null) continue;
      yield { name: to, bytes: (await blobs.read(from)).bytes, isCompressed: false };
      break;
    }
  }
}
