import {
  account,
  moderationCase,
  toDomainEvent,
  type EventStore,
  type JobHandler,
  isStandIn,
  toStreamId,
} from '@alpenglow/domain';
import { closeDecidedAccount, settleCase, type Sessions, type StatementTokens } from '@alpenglow/infra';
import type { Dependencies } from './dependencies.ts';
import { appealDecisionMailText, decisionMailText } from './decision-mail-texts.ts';
import { sendMail } from './send-mail.ts';
import { systemOrigin } from './system-origin.ts';

interface SettleCaseDependencies extends Dependencies<'commands' | 'mail' | 'site'> {
  readonly sessions: Pick<Sessions, 'revokeAll'>;
  readonly store: Pick<EventStore, 'readStream'>;
  readonly statementTokens: Pick<StatementTokens, 'issue'>;
}

const PAGE = 500;

/**
 * Creates the handler of the job that applies a moderation decision. The handler hides or restores the content and
 * closes the account if required. Steps that the request has already done have no effect. Then it mails the owner a
 * link to the statement of reasons. The mail contains neither the decision nor its reason, because other persons may
 * have access to the mailbox. If the decision closed the account, the link works without a login. If the content was
 * visible before and after the decision, no mail is sent.
 */
export function createSettleCaseHandler({
  commands,
  sessions,
  store,
  mail,
  statementTokens,
  site,
}: SettleCaseDependencies): JobHandler<'settle-case'> {
  return async ({ caseId, decisionId, about }) => {
    const { state } = await commands.load(moderationCase, caseId);
    if (!state) return;
    const origin = systemOrigin('settle-case', caseId);
    await settleCase(commands, caseId, origin);
    await closeDecidedAccount({ commands, sessions }, caseId, origin);
    const { decision, ownerId } = state;
    // If the moderation case has a newer decision, a separate job sends the mail about that decision.
    if (
      ownerId === null ||
      decision?.decisionId !== decisionId ||
      (about === 'decision' && decision.outcome === 'kept' && !decision.wasHidden)
    )
      return;
    const to = await findAddress(ownerId);
    if (to === null) return;
    const statement = {
      site,
      decisionId,
      token: decision.outcome === 'account_closed' ? statementTokens.issue(decisionId) : null,
    };
    const text = about === 'appeal' ? appealDecisionMailText(statement) : decisionMailText(statement);
    await sendMail(mail, { id: `${about}-${decisionId}`, to, unsubscribeUrl: null, ...text });
  };

  /**
   * Returns the e-mail address of an open or closed account. Returns null if the personal data of the account was
   * erased. Also returns null for a stand-in account, which a repeated sign-up has created.
   */
  async function findAddress(accountId: string): Promise<string | null> {
    const { state } = await commands.load(account, accountId);
    if (state) return isStandIn(state) ? null : state.email;
    let address: string | null = null;
    for (let from = 0; ; from += PAGE) {
      const page = await store.readStream(toStreamId(account, accountId), { from, limit: PAGE });
      for (const recorded of page) {
        const event = toDomainEvent(recorded);
        if (event?.type === 'AccountRegistered') address = event.data.email;
      }
      if (page.length < PAGE) return address === '' ? null : address;
    }
  }
}
