import { REMOVAL_ID, REMOVAL_RELATIONS, SUBJECT_KINDS, type RequestRemoval } from '@alpenglow/domain';
import * as z from 'zod';
import { decrypt, encrypt } from './cipher.ts';
import { deriveKeys } from './key-wrapping.ts';

/** The data of a request in its second copy. `recoveredFrom` is the time of the request. */
export type RemovalCopy = RequestRemoval & { readonly recoveredFrom: string };

const BEGIN = '-----BEGIN REMOVAL REQUEST-----';
const END = '-----END REMOVAL REQUEST-----';
/**
 * A copy in the text or in the source of a mail. Mail programs insert white space and quote lines with `>`. In a mail
 * in quoted-printable form (RFC 2045), `=` at the end of a line continues the line.
 */
const COPY = new RegExp(`${BEGIN}([\\s\\S]+?)${END}`, 'gu');
const SOFT_LINE_BREAK = /=[ \t]*\r?\n/gu;
const CONTEXT = 'removal copy';
const LINE_characters = 64;

const copySchema = z.object({
  requestId: z.string().regex(REMOVAL_ID),
  recoveredFrom: z.iso.datetime(),
  relation: z.enum(REMOVAL_RELATIONS),
  subjects: z.array(z.object({ kind: z.enum(SUBJECT_KINDS), id: z.string() })),
  hidesAtOnce: z.boolean(),
  name: z.string(),
  email: z.string(),
  links: z.array(z.string()),
  hashes: z.array(z.string()),
  signature: z.string(),
});

/**
 * Encrypts the second copies of removal requests, and reads them. The operator receives each copy by mail, so that a
 * request is not lost with the database.
 * @param secrets the secrets of this installation (hex), separated by commas. The first one encrypts. All of them
 *   decrypt.
 */
export function createRemovalCopies(secrets: string) {
  const keys = deriveKeys(secrets, 'removal-copies');

  function open(box: Buffer): RemovalCopy | null {
    for (const key of keys) {
      try {
        return copySchema.parse(JSON.parse(decrypt(key, CONTEXT, box).toString('utf8'))) as RemovalCopy;
      } catch {
        // The copy is encrypted with another secret, or was changed.
      }
    }
    return null;
  }

  return {
    /**
     * Returns the encrypted copy of a request as short lines of text for a mail. Its characters (base64url without
     * padding) are the same in every encoding of a mail, so that a stored mail file can be read, too.
     */
    seal(copy: RemovalCopy): string {
      const text = encrypt(keys[0], CONTEXT, JSON.stringify(copy)).toString('base64url');
      const lines = text.match(new RegExp(`.{1,${LINE_characters}}`, 'gu')) ?? [];
      return [BEGIN, ...lines, END].join('\n');
    },
    /**
     * Returns the requests in the copies that a text contains, e.g. a mail, in the order of the text. An item is null
     * if the copy was changed, or if it is from another installation.
     */
    openAll: (text: string): readonly (RemovalCopy | null)[] =>
      [...text.replaceAll(SOFT_LINE_BREAK, '').matchAll(COPY)].map(([, box = '']) =>
        open(Buffer.from(box.replaceAll(/[\s>]/gu, ''), 'base64url')),
      ),
  };
}
