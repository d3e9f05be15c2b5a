import * as z from 'zod/mini';
import { registerSharedObject, registerView } from '../component.ts';
import {
  accountNames,
  booleanFlag,
  count,
  nextCursor,
  described,
  timestamp,
  registerSuccess,
  subjectKind,
} from './common.ts';

const hash = described(z.string().check(z.regex(/^[0-9a-f]{64}$/u)), 'SHA-256 in hexadecimal.');
const day = described(z.string().check(z.regex(/^\d{4}-\d\d-\d\d$/u)), 'A day, UTC.');

/** The originator of an action: an account or a part of the system. */
const actorView = z.object({
  kind: z.enum(['account', 'system']),
  id: described(z.string(), 'The id of the account, or the name of the part of the system.'),
});

/**
 * An entry of the moderation log. Its hash covers the entry and the previous hash, so that later changes are
 * detectable.
 */
export const logEntryView = registerView('LogEntryView', {
  number: count,
  day,
  eventId: z.string(),
  type: z.string(),
  stream: z.string(),
  revision: count,
  at: timestamp,
  actor: actorView,
  facts: described(z.record(z.string(), z.unknown()), 'The data of the event that can be read without a key.'),
  dataHash: described(hash, 'Hash of all stored data of the event.'),
  hash: described(hash, 'Hash of the entry and of the previous hash.'),
});

/** The root hash of the moderation log for a completed day. This hash covers all log entries of the day. */
export const dailyRootView = registerView('DailyRootView', {
  day,
  first: described(count, 'Number of its first entry.'),
  last: described(count, 'Number of its last entry.'),
  root: described(hash, 'Root of a Merkle tree over the hashes of the entries (RFC 9162).'),
  hash: described(hash, 'Hash of this root and of the previous hash.'),
});

const proofStep = registerSharedObject('ProofStep', { side: z.enum(['left', 'right']), hash });

/**
 * A proof that the moderation log contains an entry. The proof contains the hashes that lead from the entry to the root
 * hash of its day.
 */
export const inclusionProofView = registerView('InclusionProofView', {
  entry: logEntryView,
  previousHash: hash,
  steps: described(
    z.array(proofStep),
    'The path from the hash of the entry to the root: each sibling hash and its side.',
  ),
  root: dailyRootView,
});

export const logResponse = registerSuccess('LogAnswer', {
  data: z.array(logEntryView),
  nextCursor,
  names: accountNames,
  subjects: described(
    z.record(
      z.string(),
      z.object({
        kind: subjectKind,
        title: described(z.nullable(z.string()), 'The current title. Null if the content no longer exists.'),
        isReversed: described(booleanFlag, 'An appeal against this decision was granted.'),
      }),
    ),
    'The content that entries are about, by the id of the event.',
  ),
  chain: described(
    z.object({ events: count, entries: count }),
    'Number of chained events, and number of log entries among them.',
  ),
});
export const dailyRootsResponse = registerSuccess('DailyRootsAnswer', { data: z.array(dailyRootView), nextCursor });
export const proofResponse = registerSuccess('ProofAnswer', {
  data: described(z.nullable(inclusionProofView), 'Null until the day is over.'),
});
