import { createCipheriv, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import {
  moderationCase,
  removal,
  removalReference,
  toCaseId,
  toReadableEvent,
  toStreamId,
  type RecordedEvent,
  type RemovalRequest,
  type StreamId,
} from '@alpenglow/domain';
import { readStreamPages, toInclusionProofView } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';

const derive = promisify(pbkdf2);

/** The format of `openssl enc -aes-256-cbc -pbkdf2 -iter 600000 -md sha256`, so that counsel needs no other program. */
const MAGIC = 'Salted__';
const SALT_bytes = 8;
const KEY_bytes = 32;
const IV_bytes = 16;
const ITERATIONS = 600_000;
/** Maximum time to read one stream. */
const READ_LIMIT_ms = 30_000;

/**
 * Returns everything that is stored about a removal request as an encrypted JSON file: the request, its
 * events, and the events of the cases of the contents that it names, each with its proof of inclusion in the moderation
 * log. The file contains no pictures.
 */
export async function exportRemoval(
  { store, auditLog }: Dependencies<'store' | 'auditLog'>,
  state: RemovalRequest,
  passphrase: string,
): Promise<Buffer> {
  const contents = state.completed?.removed ?? state.subjects;
  const streams = [
    toStreamId(removal, state.requestId),
    ...new Set(contents.map((subject) => toStreamId(moderationCase, toCaseId(subject)))),
  ];
  const events: unknown[] = [];
  for (const stream of streams) events.push(...(await readEvents({ store, auditLog }, stream)));
  const { requestId, status, requestedAt } = state;
  const content = {
    reference: removalReference(requestId),
    requestId,
    status,
    requestedAt,
    exportedAt: new Date().toISOString(),
    events,
  };
  return seal(JSON.stringify(content, null, 2), passphrase);
}

async function readEvents(
  { store, auditLog }: Dependencies<'store' | 'auditLog'>,
  stream: StreamId,
): Promise<readonly unknown[]> {
  const events: unknown[] = [];
  const signal = AbortSignal.timeout(READ_LIMIT_ms);
  for await (const page of readStreamPages(store, stream, { signal }))
    for (const recorded of page) {
      const proof = await auditLog.findProof(recorded.id);
      events.push({ ...describe(recorded), proof: proof && { ...toInclusionProofView(proof), day: proof.root.day } });
    }
  return events;
}

/** Returns an event with its data. Personal data that cannot be decrypted is left out. */
function describe({ unreadable, ...recorded }: RecordedEvent) {
  const { id, stream, revision, type, meta } = recorded;
  const { data } = unreadable === undefined ? (toReadableEvent(recorded) ?? recorded) : recorded;
  return { id, stream, revision, type, at: meta.at, actor: meta.actor, data };
}

async function seal(text: string, passphrase: string): Promise<Buffer> {
  const salt = randomBytes(SALT_bytes);
  const derived = await derive(passphrase, salt, ITERATIONS, KEY_bytes + IV_bytes, 'sha256');
  const cipher = createCipheriv('aes-256-cbc', derived.subarray(0, KEY_bytes), derived.subarray(KEY_bytes));
  return Buffer.concat([Buffer.from(MAGIC), salt, cipher.update(text, 'utf8'), cipher.final()]);
}
