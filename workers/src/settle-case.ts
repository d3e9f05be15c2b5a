import {
  account,
  moderationCase,
  toDomainEvent,
  type EventStore,
  type JobHandler,
  type MailSender,
} from '@alpenglow/domain';
import {
  closeAsDecided,
  settleCase,
  type CommandHandler,
  type CommandOrigin,
  type Sessions,
  type StatementTokens,
} from '@alpenglow/infra';
import { appealDecidedText, decisionText } from './decision-mail-texts.ts';
import { sendMail } from './send-mail.ts';

export interface SettleCaseDependencies {
  readonly commands: CommandHandler;
  readonly sessions: Pick<Sessions, 'revokeAll'>;
  readonly store: Pick<EventStore, 'readStream'>;
  readonly mail: MailSender;
  readonly statementTokens: Pick<StatementTokens, 'issue'>;
  /** The site's address, for links. */
  readonly site: string;
}

const PAGE = 500;

/**
 * Has what a case is about follow its decision, unless the call has, the closing of an account too, and tells the owner by mail that there is a statement of reasons to read. The mail
 * says nothing of what was decided or why: a mailbox may be seen by others. Whose account it has closed reads and appeals by the link alone. Of what stays, they hear only where it was out of sight.
 */
export function settleCaseJob({
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
    const origin: CommandOrigin = { actor: { kind: 'system', name: 'settle-case' }, correlationId: caseId };
    await settleCase(commands, caseId, origin);
    await closeAsDecided({ commands, sessions }, caseId, origin);
    const { decision, ownerId } = state;
    // A newer decision tells its own story.
    if (
      ownerId === null ||
      decision?.decisionId !== decisionId ||
      (about === 'decision' && decision.outcome === 'kept' && !decision.wasHidden)
    )
      return;
    const to = await addressOf(ownerId);
    if (to === null) return;
    const statement = {
      site,
      decisionId,
      token: decision.outcome === 'account_closed' ? statementTokens.issue(decisionId) : null,
    };
    const text = about === 'appeal' ? appealDecidedText(statement) : decisionText(statement);
    await sendMail(mail, { id: `${about}-${decisionId}`, to, unsubscribeUrl: null, ...text });
  };

  /** Where somebody is written to: also once this very decision has closed their account. Null once they are erased. */
  async function addressOf(accountId: string): Promise<string | null> {
    const { state } = await commands.load(account, accountId);
    if (state) return state.repeatOf === null ? state.email : null;
    let address: string | null = null;
    for (let from = 0; ; from += PAGE) {
      const page = await store.readStream(`account-${accountId}`, { from, limit: PAGE });
      for (const recorded of page) {
        const event = toDomainEvent(recorded);
        if (event?.type === 'AccountRegistered') address = event.data.email;
      }
      if (page.length < PAGE) return address === '' ? null : address;
    }
  }
}
