import {
  isRemovalUnfinished,
  NOTICE_MAIL_LIFETIME_ms,
  removal,
  REMOVAL_WARNINGS_h,
  UnreadableEventError,
  type JobHandler,
  type RemovalMailTopic,
  type RemovalRequest,
  applyRemovalRequest,
} from '@alpenglow/domain';
import { ACCOUNTS, createCopySearch, type CommandHandler } from '@alpenglow/infra';
import { attemptAll } from './attempt-all.ts';
import type { Dependencies } from './dependencies.ts';
import { mailCopyToOperator } from './removal-copies.ts';
import { removalProgressMailText, removalReceiptMailText, removalWarningMailText } from './removal-mail-texts.ts';
import { sendMail } from './send-mail.ts';
import { systemOrigin } from './system-origin.ts';

interface RemovalJobDependencies
  extends Dependencies<
    | 'pool'
    | 'blobs'
    | 'dataKeys'
    | 'decoder'
    | 'commands'
    | 'ads'
    | 'mail'
    | 'site'
    | 'operatorEmail'
    | 'removalTokens'
    | 'removalCopies'
  > {
  /** Creates a command handler for streams whose personal data cannot be decrypted. */
  readonly createCommandsWithoutPersonalData: () => CommandHandler;
}

/** The maximum number of members of staff who receive a warning. */
const MAX_STAFF = 200;

/**
 * Creates the handler of the job that carries out a removal request and sends the mails about one of its events. Steps
 * that the request has already done have no effect, and each mail is sent once. No mail is sent if the job was first
 * enqueued more than a week after the event, because it then repeats an earlier job, for example after a restore.
 *
 * If personal data of the request cannot be decrypted, the content is hidden, removed or restored nevertheless. The job
 * then fails with `UnreadableEventError`. When the data can be decrypted again, it sends the mail, and completes a
 * valid request, because copies of its pictures are found only then.
 */
export function createRemovalHandler(deps: RemovalJobDependencies): JobHandler<'removal'> {
  const { commands, createCommandsWithoutPersonalData } = deps;
  return async ({ requestId, about, at }, { enqueuedAt_ms, signal }) => {
    const origin = systemOrigin('removal', requestId);
    const isFromPast = enqueuedAt_ms - Date.parse(at) > NOTICE_MAIL_LIFETIME_ms;
    const mail = async (send: typeof mailCopyToOperator) => {
      const { state } = await commands.load(removal, requestId);
      if (state && !state.isErased && !isFromPast) await send(deps, state);
    };
    // The second copy comes first, because it must exist even if nothing else works.
    const steps = [
      ...(about === 'requested' ? [() => mail(mailCopyToOperator)] : []),
      async () =>
        void (await applyRemovalRequest({ ...deps, copies: createCopySearch(deps) }, requestId, origin, signal)),
      () => mail((_deps, state) => sendMails(deps, state, about)),
    ];
    try {
      await attemptAll(steps);
    } catch (error) {
      if (error instanceof UnreadableEventError) {
        const replacing = { ...deps, commands: createCommandsWithoutPersonalData(), mayComplete: false };
        await applyRemovalRequest({ ...replacing, copies: createCopySearch(replacing) }, requestId, origin, signal);
      }
      throw error;
    }
  };
}

async function sendMails(deps: RemovalJobDependencies, state: RemovalRequest, about: RemovalMailTopic): Promise<void> {
  switch (about) {
    case 'requested':
      return mailRequester(deps, state, about);
    case 'warned':
      return warnStaff(deps, state);
    case 'decided':
      // The mail about the completion follows a valid request.
      return state.decision?.outcome === 'rejected' ? mailRequester(deps, state, about) : undefined;
    case 'completed':
    case 'appeal-decided':
      return mailRequester(deps, state, about);
    case 'withdrawn':
    case 'appealed':
      return undefined;
  }
}

async function mailRequester(
  { mail, site, removalTokens }: RemovalJobDependencies,
  { requestId, requestedAt, email, completed }: RemovalRequest,
  about: 'requested' | 'decided' | 'completed' | 'appeal-decided',
): Promise<void> {
  const link = { requestId, requestedAt, statusUrl: removalTokens.createStatusUrl(site, requestId) };
  const progress = about === 'completed' && completed?.removed.length === 0 ? 'nothing-found' : about;
  const text = progress === 'requested' ? removalReceiptMailText(link) : removalProgressMailText(link, progress);
  await sendMail(mail, { id: `removal-${about}-${requestId}`, to: email, unsubscribeUrl: null, ...text });
}

/** Warns staff about a request that waits too long. The last warning goes to every admin. */
async function warnStaff(deps: RemovalJobDependencies, state: RemovalRequest): Promise<void> {
  const { mail, site } = deps;
  const { requestId, waitsSince, warned_h } = state;
  if (warned_h === 0 || !isRemovalUnfinished(state)) return;
  const isEscalated = warned_h === REMOVAL_WARNINGS_h.at(-1);
  const text = removalWarningMailText({ site, requestId, waitsSince, warned_h, isEscalated });
  const staff = await findStaff(deps, isEscalated);
  await attemptAll(
    staff.map(({ id, email }) => {
      // The time distinguishes the warnings about an appeal from those about the request.
      const wait = `${warned_h}-${requestId}-${Date.parse(waitsSince)}`;
      const mailId = `removal-warning-${wait}-${id.replaceAll(/[^A-Za-z0-9-]/gu, '-')}`;
      return () => sendMail(mail, { id: mailId, to: email, unsubscribeUrl: null, ...text });
    }),
  );
}

/** Returns the members of staff with their addresses. The operator is always an admin. */
async function findStaff(
  { pool, operatorEmail }: RemovalJobDependencies,
  onlyAdmins: boolean,
): Promise<readonly { readonly id: string; readonly email: string }[]> {
  const { rows } = await pool.query<{ id: string; email: string }>({
    name: 'staff-to-warn',
    text: `select account_id as id, email from ${ACCOUNTS.table}
            where role = any($1) and email <> '' order by account_id limit ${MAX_STAFF}`,
    values: [onlyAdmins ? ['admin'] : ['admin', 'moderator']],
  });
  const isListed = operatorEmail === null || rows.some(({ email }) => email === operatorEmail);
  return isListed ? rows : [...rows, { id: 'operator', email: operatorEmail }];
}
