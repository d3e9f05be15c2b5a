import {
  LARGEST_VARIANT,
  originalBlob,
  shownBlobs,
  userView,
  type BlobStore,
  type MediaKind,
  type RegisteredAccount,
} from '@alpenglow/domain';
import type { Pool, StaffReads, ZipFile } from '@alpenglow/infra';
import { Readable } from 'node:stream';
import { ownEvents, type OwnEventsDependencies } from './own-events.ts';

export interface ExportDependencies extends OwnEventsDependencies {
  readonly pool: Pool;
  readonly blobs: BlobStore;
  readonly staffReads: StaffReads;
  readonly adminEmail: string | null;
}

/** Whom an archive is of. */
export interface ExportedPerson extends RegisteredAccount {
  /** ISO 8601; null while the account is open. */
  readonly closedAt: string | null;
}

/** What is left out of an archive, and what it holds. */
const ABOUT = `This archive holds everything this site keeps about you.

account.json      your account as it is now, or was when it was closed
events.json       everything that happened to or by you, in words of our system: your account, your ad, favorites, posts, marks, follows,
                  reviews you wrote, reports you filed, decisions about your content, what you said to our texts
staff-reads.json  when our staff have looked at your data in the last year, and by which call
media/            your photos (the largest size we keep; originals are deleted) and videos

Left out: the hash of your password and other secrets, who of our staff did something, and what other people have said in confidence.
Times are ISO 8601 in UTC.
`;
const READS_PAGE = 500;
const MAX_READS = 20_000;

/** The files of the archive of a person, one after the other; none is held as a whole but short ones. Rejects when `signal` aborts. */
export async function* exportFiles(
  person: ExportedPerson,
  deps: ExportDependencies,
  signal: AbortSignal,
): AsyncGenerator<ZipFile> {
  const { accountId } = person;
  yield { name: 'README.txt', bytes: ABOUT, isCompressed: true };
  yield {
    name: 'account.json',
    bytes: `${JSON.stringify({ ...userView(person, deps.adminEmail), registeredAt: person.registeredAt, closedAt: person.closedAt }, null, 2)}\n`,
    isCompressed: true,
  };
  yield {
    name: 'events.json',
    bytes: Readable.from(asJsonList(ownEvents(accountId, person.registeredAt, deps, signal))),
    isCompressed: true,
  };
  yield {
    name: 'staff-reads.json',
    bytes: Readable.from(asJsonList(readsOf(accountId, deps.staffReads))),
    isCompressed: true,
  };
  yield* mediaOf(person, deps, signal);
}

/** A list as text, piece by piece. */
async function* asJsonList(items: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  let before = '[\n';
  for await (const item of items) {
    yield Buffer.from(`${before}${JSON.stringify(item)}`);
    before = ',\n';
  }
  yield Buffer.from(before === '[\n' ? '[]\n' : '\n]\n');
}

async function* readsOf(accountId: string, staffReads: StaffReads): AsyncGenerator<unknown> {
  let before: string | null = null;
  for (let told = 0; told < MAX_READS; told += READS_PAGE) {
    const page = await staffReads.list({ staffId: null, subjectId: accountId, before, limit: READS_PAGE });
    for (const { at, what } of page) yield { at, what };
    if (page.length < READS_PAGE) return;
    before = page.at(-1)?.id ?? null;
  }
}

interface OwnMedia {
  readonly media_id: string;
  readonly kind: MediaKind;
  readonly content_type: string | null;
}

/** Photos and videos with the bytes that are kept of them. */
async function* mediaOf(
  { accountId, registeredAt }: RegisteredAccount,
  { pool, blobs }: ExportDependencies,
  signal: AbortSignal,
): AsyncGenerator<ZipFile> {
  const { rows } = await pool.query<OwnMedia>(
    'select media_id, kind, content_type from rm.media_items where owner_id = $1 and uploaded_at >= $2 order by uploaded_at, media_id',
    [accountId, registeredAt],
  );
  for (const { media_id: mediaId, kind, content_type: type } of rows) {
    signal.throwIfAborted();
    const key = kind === 'photo' ? `${shownBlobs.photo(mediaId)}${LARGEST_VARIANT}` : shownBlobs.video(mediaId);
    const name =
      kind === 'photo' ? `media/${mediaId}.jpg` : `media/${mediaId}.${type === 'video/quicktime' ? 'mov' : 'mp4'}`;
    for (const [from, to] of [
      [key, name],
      [originalBlob(mediaId), `media/${mediaId}.original`],
    ] as const) {
      if ((await blobs.info(from)) === null) continue;
      yield { name: to, bytes: (await blobs.read(from)).bytes, isCompressed: false };
      break;
    }
  }
}
