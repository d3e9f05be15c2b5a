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

/** The effect of a decision on content. `restored` means that hidden content is visible again. */
export type ContentChange = 'hidden' | 'removed' | 'restored';

const CONTENT_CHANGES: Readonly<Record<ContentChange, readonly [subject: string, change: string]>> = {
  hidden: [`Your content at ${PRODUCT_NAME} was hidden`, 'Something you posted was hidden.'],
  removed: [`Your content at ${PRODUCT_NAME} was removed`, 'Something you posted was removed.'],
  restored: [
    `Your content at ${PRODUCT_NAME} is visible again`,
    'Something you posted was hidden and is now visible again.',
  ],
};

/**
 * Returns the text of the mail about a moderation decision. The mail contains neither the content nor the
 * reasons. `change` is ignored if the decision closed the account.
 */
export function decisionMailText(statement: StatementLink, change: ContentChange): MailText {
  if (statement.token !== null) {
    return composeMail(
      `About your account at ${PRODUCT_NAME}`,
      'Your account has been closed because it broke the house rules. ' +
        `The link shows the rule, the reasons and how to appeal. ${LINK_IS_SECRET}`,
      statementUrl(statement),
    );
  }
  const [subject, text] = CONTENT_CHANGES[change];
  return composeMail(
    subject,
    `${text} Log in to read the decision, the rule, the reasons and how to appeal:`,
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
