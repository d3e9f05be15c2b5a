import { PRODUCT_NAME } from '@alpenglow/domain';
import { letter, type MailText } from './mail-texts.ts';

/** Where the statement of reasons is read, after logging in. */
function statementUrl(site: string, decisionId: string): string {
  return `${site}/account/decisions/${decisionId}`;
}

export function decisionText(site: string, decisionId: string, isClosed: boolean): MailText {
  if (isClosed) {
    return letter(
      `About your account at ${PRODUCT_NAME}`,
      'your account has been closed for breaking the rules of the house. If you think this is a mistake, please answer us as our page "About" describes; somebody who had no part in it will look at it again.',
      `${site}/about`,
    );
  }
  return letter(
    `A decision about your content at ${PRODUCT_NAME}`,
    'there has been a decision about something you posted. What was decided, by which rule, why, and how to appeal is here for you to read after logging in:',
    statementUrl(site, decisionId),
  );
}

export function appealDecidedText(site: string, decisionId: string): MailText {
  return letter(`Your appeal at ${PRODUCT_NAME}`, 'another moderator has decided your appeal. What came of it is here for you to read after logging in:', statementUrl(site, decisionId));
}
