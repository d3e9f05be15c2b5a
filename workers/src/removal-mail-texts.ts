import { PRODUCT_NAME, removalDeadline, removalReference } from '@alpenglow/domain';
import { composeMail, type MailText } from './mail-texts.ts';

/*
 * The mails about removal requests contain no text of the person who has asked. Anyone can enter the address of another
 * person, and must not be able to send that person a message.
 */

interface RequestLink {
  readonly requestId: string;
  /** The time of the request in ISO 8601. */
  readonly requestedAt: string;
  readonly statusUrl: string;
}

const LINK_IS_SECRET = 'Anyone who has this link can read and withdraw the request, so please do not share it:';

/** Returns a time in UTC, such as 2026-11-30 19:42 UTC. */
const formatTime = (at: string) => `${at.slice(0, 16).replace('T', ' ')} UTC`;

/** Returns the receipt for the person who has asked. */
export function removalReceiptMailText({ requestId, requestedAt, statusUrl }: RequestLink): MailText {
  return composeMail(
    `Your removal request ${removalReference(requestId)}`,
    `We have received a removal request with your e-mail address at ${PRODUCT_NAME}. ` +
      `A moderator decides by ${formatTime(removalDeadline(requestedAt))}. ` +
      `The private page of the request shows what is hidden until then. ${LINK_IS_SECRET}`,
    statusUrl,
    'If you did not send this request, please open the link and withdraw it.',
  );
}

const PROGRESS = {
  decided: 'A moderator has decided your removal request.',
  completed: 'What your removal request names was removed, with all copies that we know.',
  'nothing-found': 'Your removal request is valid, but we found nothing that we could remove.',
  'appeal-decided': 'Another moderator has decided your appeal.',
} as const;

/** Returns the mail about a decision for the person who has asked. It contains neither the content nor the reasons. */
export function removalProgressMailText({ requestId, statusUrl }: RequestLink, about: keyof typeof PROGRESS): MailText {
  return composeMail(
    `Your removal request ${removalReference(requestId)}`,
    `${PROGRESS[about]} Open the link to read more. ${LINK_IS_SECRET}`,
    statusUrl,
  );
}

/** The second copy of a request. */
export interface CopyOfRequest {
  readonly requestId: string;
  /** The time of the request in ISO 8601. */
  readonly requestedAt: string;
  /** The encrypted copy of the request. */
  readonly copy: string;
}

interface OperatorCopy extends CopyOfRequest {
  readonly site: string;
}

/** Returns the mail with the second copy of a request for the operator. */
export function operatorCopyMailText({ site, requestId, requestedAt, copy }: OperatorCopy): MailText {
  return composeMail(
    `Removal request ${removalReference(requestId)}, decide by ${formatTime(removalDeadline(requestedAt))}`,
    'Somebody asks for the removal of intimate pictures. A moderator must decide the request in time:',
    `${site}/admin/removals/${requestId}`,
    'Please keep this mail until the request is closed. It contains an encrypted copy of the request. ' +
      'If the database is restored from an older backup, “npm run removals -- --from <file with this mail>” ' +
      'brings the request back with its deadline.',
    copy,
  );
}

/**
 * Returns the mail with the second copies of several requests for the operator, after many requests within an hour
 * . `npm run removals` reads all of them.
 */
export function operatorCopiesMailText(site: string, copies: readonly CopyOfRequest[]): MailText {
  const [first] = copies.map(({ requestedAt }) => requestedAt).sort();
  const lines = copies.map(
    ({ requestId, requestedAt }) =>
      `${removalReference(requestId)}, decide by ${formatTime(removalDeadline(requestedAt))}: ` +
      `${site}/admin/removals/${requestId}`,
  );
  return composeMail(
    `${copies.length} removal requests, decide the first by ${formatTime(removalDeadline(first ?? ''))}`,
    'There were many removal requests within an hour, so this mail is about several. ' +
      'A moderator must decide each of them in time:',
    lines.join('\n'),
    'Please keep this mail until all of the requests are closed. It contains an encrypted copy of each request. ' +
      'If the database is restored from an older backup, “npm run removals -- --from <file with this mail>” ' +
      'brings the requests back with their deadlines.',
    ...copies.map(({ copy }) => copy),
  );
}

interface Warning {
  readonly site: string;
  readonly requestId: string;
  readonly waitsSince: string;
  readonly warned_h: number;
  /** True if the warning goes to every admin. */
  readonly isEscalated: boolean;
}

/** Returns the warning for staff about a request that has waited for `warned_h` hours. */
export function removalWarningMailText({ site, requestId, waitsSince, warned_h, isEscalated }: Warning): MailText {
  const deadline = formatTime(removalDeadline(waitsSince));
  const reference = removalReference(requestId);
  return composeMail(
    `${isEscalated ? 'Urgent: removal' : 'Removal'} request ${reference} waits for ${warned_h} hours`,
    `Nobody has decided this removal request yet. The law gives us time until ${deadline}.` +
      (isEscalated ? ' This mail goes to every admin. Please decide the request now.' : ''),
    `${site}/admin/removals/${requestId}`,
  );
}
