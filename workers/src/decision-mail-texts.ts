import { PRODUCT_NAME } from '@alpenglow/domain';
import { composeMail, type MailText } from './mail-texts.ts';

/** The data for a link to a statement of reasons, which explains a moderation decision to the owner of the content. */
export interface StatementLink {
  readonly site: string;
  readonly decisionId: string;
  /**
   * Token that gives access to the statement without a login. It is needed if the decision closed the account. Null if
   * the owner can log in.
   */
  readonly token: string | null;
}

/**
 * Returns the URL of the statement of reasons for a moderation decision. The token is in the fragment of the URL, which
 * is not sent to servers, so no server log contains the token.
 */
function statementUrl({ site, decisionId, token }: StatementLink): string {
  return token === null ? `${site}/account/decisions/${decisionId}` : `${site}/decisions/${decisionId}#${token}`;
}

const LINK_IS_SECRET = 'Anyone who has this link can read it and appeal without logging in, so please do not share it:';

/**
 * The effect of a decision on content. `restored` means that hidden content is visible again. `not_changed` means that
 * content is hidden, because its owner has not made a requested change in time.
 */
export type ContentChange = 'warned' | 'change_requested' | 'not_changed' | 'hidden' | 'removed' | 'restored';

/**
 * A photo or video that a decision is about. The ad that shows it either stays online, or is hidden until a moderator
 * decides (`waits`), or has its own decision. Null for other content.
 */
export type ChangedFile = { readonly ad: 'stays' | 'waits' | 'decided' } | null;

const CONTENT_CHANGES: Readonly<Record<ContentChange, readonly [subject: string, change: string]>> = {
  warned: [
    `A warning about your content at ${PRODUCT_NAME}`,
    'Something you posted does not follow the house rules. It stays online.',
  ],
  change_requested: [
    `Please change your ad at ${PRODUCT_NAME}`,
    'A moderator asks you to change your ad. It stays online until the date in the decision. ' +
      'If you have not changed it by then, it is hidden.',
  ],
  not_changed: [
    `Your ad at ${PRODUCT_NAME} was hidden`,
    'Your ad was hidden, because the requested change was not made in time. A moderator will look at it.',
  ],
  hidden: [`Your content at ${PRODUCT_NAME} was hidden`, 'Something you posted was hidden.'],
  removed: [`Your content at ${PRODUCT_NAME} was removed`, 'Something you posted was removed.'],
  restored: [
    `Your content at ${PRODUCT_NAME} is visible again`,
    'Something you posted was hidden and is now visible again.',
  ],
};

const FILE_CHANGES: Readonly<Record<ContentChange, readonly [subject: string, change: string]>> = {
  ...CONTENT_CHANGES,
  hidden: [`A photo or video at ${PRODUCT_NAME} was hidden`, 'A photo or video that you uploaded was hidden.'],
  removed: [`A photo or video at ${PRODUCT_NAME} was removed`, 'A photo or video that you uploaded was removed.'],
};

const FILE_CONSEQUENCES: Readonly<Record<NonNullable<ChangedFile>['ad'], string>> = {
  stays: ' Everything else stays online without it, and you can choose another one.',
  waits: ' Your ad is hidden with it until a moderator has decided.',
  decided: ' There is a separate decision about your ad.',
};

function fileConsequence(change: ContentChange, { ad }: NonNullable<ChangedFile>): string {
  return change === 'hidden' || change === 'removed' ? FILE_CONSEQUENCES[ad] : '';
}

/**
 * Returns the text of the mail about a moderation decision. The mail contains neither the content nor the
 * reasons. `change` and `file` are ignored if the decision closed the account.
 */
export function decisionMailText(statement: StatementLink, change: ContentChange, file: ChangedFile): MailText {
  if (statement.token !== null) {
    return composeMail(
      `About your account at ${PRODUCT_NAME}`,
      'Your account has been closed because it broke the house rules. ' +
        `The link shows the rule, the reasons and how to appeal. ${LINK_IS_SECRET}`,
      statementUrl(statement),
    );
  }
  const [subject, text] = (file ? FILE_CHANGES : CONTENT_CHANGES)[change];
  const consequence = file ? fileConsequence(change, file) : '';
  return composeMail(
    subject,
    `${text}${consequence} Log in to read the decision, the rule, the reasons and how to appeal:`,
    statementUrl(statement),
  );
}

/** Returns the text of the mail about the decision of an appeal. */
export function appealDecisionMailText(statement: StatementLink): MailText {
  const login = statement.token === null ? 'Log in to read the decision:' : 'Read the decision here, without a login:';
  return composeMail(
    `Your appeal at ${PRODUCT_NAME}`,
    `A different moderator has decided your appeal. ${login}`,
    statementUrl(statement),
  );
}
