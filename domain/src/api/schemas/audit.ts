import * as z from 'zod/mini';
import { count, done, nextCursor, said, time } from './common.ts';

const hash = said(z.string().check(z.regex(/^[0-9a-f]{64}$/u)), 'SHA-256 in hexadecimal.');
const day = said(z.string().check(z.regex(/^\d{4}-\d\d-\d\d$/u)), 'A day, UTC.');

/** Who did something: an account, or a part of the system. */
export const actorView = z.object({
  kind: z.enum(['account', 'system']),
  id: said(z.string(), 'The id of an account, or the name of a part.'),
});

/** An entry of the moderation log. */
export const logEntryView = z.object({
  number: count,
  day,
  eventId: z.string(),
  type: z.string(),
  stream: z.string(),
  revision: count,
  at: time,
  actor: actorView,
  facts: said(z.record(z.string(), z.unknown()), 'What of the event needs no key to be read.'),
  dataHash: said(hash, 'Of everything the event holds, as it is kept.'),
  hash: said(hash, 'Of the entry, and of the hash before it.'),
});

/** The root of a day that is over. */
export const dailyRootView = z.object({
  day,
  first: said(count, 'Number of its first entry.'),
  last: said(count, 'Number of its last entry.'),
  root: said(hash, 'Of a Merkle tree over the hashes of its entries (RFC 9162).'),
  hash: said(hash, 'Of this root and of the hash before it.'),
});

/** Proves that something is in the moderation log, and was at the end of its day. */
export const inclusionProofView = z.object({
  entry: logEntryView,
  previousHash: hash,
  steps: said(
    z.array(z.object({ side: z.enum(['left', 'right']), hash })),
    'From the entry’s hash to the root: what stands beside, and where.',
  ),
  root: dailyRootView,
});

export const logAnswer = z.object({
  success: done,
  data: z.array(logEntryView),
  nextCursor,
  chain: said(
    z.object({ events: count, entries: count }),
    'So many events are chained, and so many entries were made of them.',
  ),
});
export const dailyRootsAnswer = z.object({ success: done, data: z.array(dailyRootView), nextCursor });
export const proofAnswer = z.object({
  success: done,
  data: said(z.nullable(inclusionProofView), 'Null until its day is over.'),
});
