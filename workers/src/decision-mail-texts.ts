import { PRODUCT_NAME } from '@alpenglow/domain';
import { composeMail, type MailText } from './mail-texts.ts';

/** The statement of reasons that a mail links to. */
export interface StatementLink {
  readonly site: string;
  readonly decisionId: string;
  /**
   * Token that gives access to the statement without a login, because the decision closed the account. Null if the
   * owner can log in.
   */
  readonly token: string | null;
}

/**
 * Returns the URL of the statement. The token is in the fragment, which is not sent to servers, so no server
 * log contains it.
 */
function statementUrl({ site, decisionId, token }: StatementLink): string {
  return token === null ? `${site}/account/decisions/${decisionId}` : `${site}/decisions/${decisionId}#${token}`;
}

const WITHOUT_LOGIN =
  'without logging in. Whoever has this link can read it and appeal, so please keep it to yourself:';

/** Returns the mail about a decision. */
export function decisionMailText(statement: StatementLink): MailText {
  if (statement.token !== null) {
    return composeMail(
      `About your account at ${PRODUCT_NAME}`,
      'your account has been closed for breaking the rules of the house. ' +
        `By which rule, why, and how to appeal is here for you to read, ${WITHOUT_LOGIN}`,
      statementUrl(statement),
    );
  }
  return composeMail(
    `A decision about your content at ${PRODUCT_NAME}`,
    'there has been a decision about something you posted. What was decided, by which rule, why, ' +
      'and how to appeal is here for you to read after logging in:',
    statementUrl(statement),
  );
}

/** Returns the mail about the decision of an appeal. */
export function appealDecisionMailText(statement: StatementLink): MailText {
  const login = statement.token === null ? 'after logging in:' : 'without logging in:';
  return composeMail(
    `Your appeal at ${PRODUCT_NAME}`,
    `another moderator has decided your appeal. What came of it is here for you to read ${login}`,
    statementUrl(statement),
  );
}
