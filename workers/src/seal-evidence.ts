import { buffer } from 'node:stream/consumers';
import { createSealedBlobs, EVIDENCE_KEY_ID, findAccountOfSealedBlob } from '@alpenglow/infra';
import { attemptEach } from './attempt-each.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Encrypts the preserved pictures that are stored in clear text, because an earlier version or an old backup has stored
 * them. Idempotent. A picture that fails does not stop the others. The promise then rejects with `ItemsFailed`
 * at the end. Rejects at once if `signal` aborts.
 */
export async function sealEvidence(
  deps: Dependencies<'blobs' | 'dataKeys' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  const { blobs, log } = deps;
  const sealed = createSealedBlobs(deps);
  await attemptEach(
    blobs.list('preserved/'),
    async ({ key }) => {
      if ((await findAccountOfSealedBlob(blobs, key)) === EVIDENCE_KEY_ID) return;
      await sealed.put(key, EVIDENCE_KEY_ID, await buffer((await blobs.read(key)).bytes));
    },
    { task: 'seal-evidence', nameOf: ({ key }) => key, log, signal },
  );
}
