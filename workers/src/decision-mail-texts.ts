import { PRODUCT_NAME } from '@alpenglow/domain';
import { letter, type MailText } from './mail-texts.ts';

/** The statement of reasons a mail leads to. */
export interface LinkedStatement {
  readonly site: string;
  readonly decisionId: string;
  /** What it is read with where its decision has closed the account; null: after logging in. */
  readonly token: string | null;
}

/** Behind `#`, a token goes to no server. */
function statementUrl({ site, decisionId, token }: LinkedStatement): string {
  return token === null ? `${site}/account/decisions/${decisionId}` : `${site}/decisions/${decisionId}#${token}`;
}

const WITHOUT_LOGIN =
  'without logging in. Whoever has this link can read it and appeal, so please keep it to yourself:';

export function decisionText(statement: LinkedStatement): MailText {
  if (statement.token !== null) {
    return letter(
      `About your account at ${PRODUCT_NAME}`,
      `your account has been closed for breaking the rules of the house. By which rule, why, and how to appeal is here for you to read, ${WITHOUT_LOGIN}`,
      statementUrl(statement),
    );
  }
  return letter(
    `A decision about your content at ${PRODUCT_NAME}`,
    'there has been a decision about something you posted. What was decided, by which rule, why, and how to appeal is here for you to read after logging in:',
    statementUrl(statement),
  );
}

export function appealDecidedText(statement: LinkedStatement): MailText {
  const how = statement.token === null ? 'after logging in:' : 'without logging in:';
  return letter(
    `Your appeal at ${PRODUCT_NAME}`,
    `another moderator has decided your appeal. What came of it is here for you to read ${how}`,
    statementUrl(statement),
  );
}
