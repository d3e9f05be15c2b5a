import { randomUUID } from 'node:crypto';
import { MailRejected, NOTICE_MAIL_LIFETIME_ms, removal, type RemovalRequest } from '@alpenglow/domain';
import { createRemovalCopyMails, type RemovalCopyMails } from '@alpenglow/infra';
import { attemptEach, ItemsFailed } from './attempt-each.ts';
import type { Dependencies } from './dependencies.ts';
import { operatorCopiesMailText, operatorCopyMailText, type CopyOfRequest } from './removal-mail-texts.ts';
import { sendMail } from './send-mail.ts';

const TASK = 'mail-removal-copies';
/** The number of requests of an hour whose copies have their own mails. Those of the others are mailed together. */
export const OWN_MAILS_PER_HOUR_MAX = 20;
/** The maximum number of copies, and of their characters, in one mail. Mail servers accept mails of this size. */
const COPIES_OF_MAIL_MAX = 500;
const MAIL_MAX_characters = 1_000_000;
/** The maximum number of mails with several copies of one run. The next run continues. */
const MAILS_AT_ONCE = 4;

type CopyDependencies = Dependencies<'pool' | 'commands' | 'mail' | 'site' | 'operatorEmail' | 'removalCopies'>;

/**
 * Mails the second copy of a removal request to the operator, or leaves it to the next run of `mailRemovalCopies` after
 * many requests within an hour. Does nothing without an address of the operator. Throws like `sendMail`.
 */
export async function mailCopyToOperator(deps: CopyDependencies, state: RemovalRequest): Promise<void> {
  const { pool, mail, site, operatorEmail } = deps;
  if (operatorEmail === null) return;
  const mails = createRemovalCopyMails(pool);
  const mailId = await mails.claim(state.requestId, OWN_MAILS_PER_HOUR_MAX);
  if (mailId === null) return;
  const text = operatorCopyMailText({ site, ...seal(deps, state) });
  await sendMail(mail, { id: mailId, to: operatorEmail, unsubscribeUrl: null, ...text });
  await mails.markSent(mailId);
}

function seal({ removalCopies }: Pick<CopyDependencies, 'removalCopies'>, state: RemovalRequest): CopyOfRequest {
  const { requestId, requestedAt, relation, subjects, hidesAtOnce, name, email, links, hashes, signature } = state;
  const data = { requestId, relation, subjects, hidesAtOnce, name, email, signature };
  const copy = removalCopies.seal({ ...data, links: [...links], hashes: [...hashes], recoveredFrom: requestedAt });
  return { requestId, requestedAt, copy };
}

/**
 * Mails the copies of the removal requests that have no own mail, several in one mail. Which mail contains a request is
 * recorded before the mail is sent, so an interrupted run is continued and each mail is sent once. A request that
 * cannot be read does not stop the others. Rejects with `ItemsFailed` at the end, or at once if `signal` aborts.
 */
export async function mailRemovalCopies(
  deps: CopyDependencies & Dependencies<'log'>,
  now_ms: number,
  signal: AbortSignal,
): Promise<void> {
  if (deps.operatorEmail === null) return;
  const mails = createRemovalCopyMails(deps.pool);
  await mails.forget([]);
  const interrupted = await mails.listUnsentDigests();
  const errors: unknown[] = [];
  const copiesOf = (requestIds: readonly string[]) => readCopies(deps, mails, requestIds, { now_ms, signal, errors });
  await attemptEach(
    interrupted,
    async ({ mailId, requestIds }) => sendDigest(deps, mails, mailId, await copiesOf(requestIds)),
    { task: TASK, nameOf: ({ mailId }) => mailId, log: deps.log, signal },
  );
  for (let count = 0; count < MAILS_AT_ONCE; count += 1) {
    const failedBefore = errors.length;
    const waiting = await mails.listWaiting(COPIES_OF_MAIL_MAX);
    const copies = fitIntoMail(await copiesOf(waiting));
    if (copies.length === 0) break;
    const requestIds = copies.map(({ requestId }) => requestId);
    const mailId = `removal-copies-${randomUUID()}`;
    await mails.assign({ mailId, requestIds });
    await sendDigest(deps, mails, mailId, copies);
    // Requests that cannot be read stay in the list. They would be read again and again.
    if (errors.length > failedBefore) break;
  }
  if (errors.length > 0) throw new ItemsFailed(TASK, errors.length, errors);
}

/** Returns the sealed copies of the requests. Requests that need none any more are forgotten. */
async function readCopies(
  deps: CopyDependencies & Dependencies<'log'>,
  mails: RemovalCopyMails,
  requestIds: readonly string[],
  { now_ms, signal, errors }: { readonly now_ms: number; readonly signal: AbortSignal; readonly errors: unknown[] },
): Promise<readonly CopyOfRequest[]> {
  const copies: CopyOfRequest[] = [];
  const unneeded: string[] = [];
  for (const requestId of requestIds) {
    signal.throwIfAborted();
    try {
      const { state } = await deps.commands.load(removal, requestId);
      const isNeeded =
        state !== null && !state.isErased && now_ms - Date.parse(state.requestedAt) <= NOTICE_MAIL_LIFETIME_ms;
      if (isNeeded) copies.push(seal(deps, state));
      else unneeded.push(requestId);
    } catch (err) {
      deps.log.warn({ err, round: TASK, item: requestId }, 'the copy of a removal request cannot be mailed yet');
      errors.push(err);
      await mails.release([requestId]);
    }
  }
  if (unneeded.length > 0) await mails.forget(unneeded);
  return copies;
}

/** Returns the first copies, as many as fit into one mail, and at least one. */
function fitIntoMail(copies: readonly CopyOfRequest[]): readonly CopyOfRequest[] {
  let characters = 0;
  const last = copies.findIndex(({ copy }, index) => {
    characters += copy.length;
    return index > 0 && characters > MAIL_MAX_characters;
  });
  return last === -1 ? copies : copies.slice(0, last);
}

/** Sends one mail with several copies. If the mail is rejected, its requests wait for another one. */
async function sendDigest(
  { mail, site, operatorEmail }: CopyDependencies,
  mails: RemovalCopyMails,
  mailId: string,
  copies: readonly CopyOfRequest[],
): Promise<void> {
  if (operatorEmail === null || copies.length === 0) return;
  const text = operatorCopiesMailText(site, copies);
  try {
    await mail.send({ id: mailId, to: operatorEmail, unsubscribeUrl: null, ...text });
  } catch (error) {
    if (error instanceof MailRejected) await mails.release(copies.map(({ requestId }) => requestId));
    throw error;
  }
  await mails.markSent(mailId);
}
