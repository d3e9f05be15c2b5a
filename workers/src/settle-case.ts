import {
  account,
  isAdDecidedWithFile,
  isAdHiddenWithFile,
  moderationCase,
  NOTICE_MAIL_LIFETIME_ms,
  PostponedJobError,
  toDomainEvent,
  UnreadableEventError,
  type CaseId,
  type EventStore,
  type JobHandler,
  type ModerationCase,
  isStandIn,
  toStreamId,
  carryOutDecision,
  takePictureOfCaseDown,
  type EndAccountDependencies,
} from '@alpenglow/domain';
import type { CommandHandler, StatementTokens } from '@alpenglow/infra';
import { attemptAll } from './attempt-all.ts';
import type { Dependencies } from './dependencies.ts';
import {
  appealDecisionMailText,
  decisionMailText,
  type ChangedFile,
  type ContentChange,
} from './decision-mail-texts.ts';
import { sendMail } from './send-mail.ts';
import { systemOrigin } from './system-origin.ts';

interface SettleCaseDependencies extends Dependencies<'commands' | 'mail' | 'site' | 'log'> {
  readonly sessions: EndAccountDependencies['sessions'];
  readonly store: Pick<EventStore, 'readStream'>;
  readonly statementTokens: Pick<StatementTokens, 'issue'>;
  /**
   * Seals or restores the files of a photo or video according to the decisions about it. Resolves to false if
   * another process is moving the files.
   */
  readonly alignEvidence: (mediaId: string, signal: AbortSignal, commands: CommandHandler) => Promise<boolean>;
  /**
   * Creates a command handler for streams whose personal data cannot be decrypted. Their events have replacement
   * values, as after an erasure.
   */
  readonly createCommandsWithoutPersonalData: () => CommandHandler;
}

const PAGE = 500;
/** The delay after which the job runs again if another process is moving the files of the photo or video. */
const RETRY_ms = 1_000;

/**
 * Creates the handler of the job that applies a moderation decision. The handler carries the decision out
 * (`carryOutDecision`), adds a photo to the pictures that were taken down, and seals or restores the files of a photo
 * or video. Steps that the request has already done have no effect. Then it mails the owner a link to the statement of
 * reasons. The mail contains neither the content nor the reasons, because other persons may have access to the mailbox.
 * If the decision closed the account, the link works without a login. If the content was visible before and after the
 * decision, no mail is sent.
 *
 * No mail is sent and nothing else is decided if the job was first enqueued more than a week after the decision. Such a
 * job repeats an earlier one, for example after a restore. A job that is only late, because no mail server or worker
 * was available, still sends the mail.
 *
 * If personal data of the case, its content or its owner cannot be decrypted, the content is hidden or restored and the
 * account is closed nevertheless, because this needs no personal data. The job then fails with `UnreadableEventError`,
 * and sends the mail when the data can be decrypted again.
 */
export function createSettleCaseHandler({
  commands,
  sessions,
  store,
  mail,
  statementTokens,
  site,
  alignEvidence,
  createCommandsWithoutPersonalData,
  log,
}: SettleCaseDependencies): JobHandler<'settle-case'> {
  const settleAndMail: JobHandler<'settle-case'> = async (
    { caseId, decisionId, about, decidedAt },
    { enqueuedAt_ms, signal },
  ) => {
    const { state } = await commands.load(moderationCase, caseId);
    if (!state) return;
    const origin = systemOrigin('settle-case', caseId);
    const isFromPast = decidedAt !== undefined && enqueuedAt_ms - Date.parse(decidedAt) > NOTICE_MAIL_LIFETIME_ms;
    await carryOutDecision(
      { commands, sessions },
      caseId,
      { decidesConsequence: !isFromPast && about === 'decision' },
      origin,
    );
    await takePictureOfCaseDown(commands, caseId, origin);
    if (isFromPast) log.info({ caseId, decisionId, decidedAt }, 'no mail sent: the decision is from the past');
    // The files are moved after the decision has taken effect, because the events decide which state is the right one.
    // The mail is sent before, because a file that cannot be moved must not delay it. A repeated job sends no second
    // mail. The files are also moved if the mail fails, because a rejected address ends the job.
    await attemptAll([
      ...(isFromPast ? [] : [() => mailOwner(state, decisionId, about)]),
      () => alignFiles(state, signal, commands),
    ]);
  };
  return async (payload, context) => {
    try {
      await settleAndMail(payload, context);
    } catch (error) {
      if (error instanceof UnreadableEventError) await settleWithoutPersonalData(payload.caseId, context.signal);
      throw error;
    }
  };

  async function settleWithoutPersonalData(caseId: CaseId, signal: AbortSignal): Promise<void> {
    const origin = systemOrigin('settle-case', caseId);
    const replacing = createCommandsWithoutPersonalData();
    await carryOutDecision({ commands: replacing, sessions }, caseId, { decidesConsequence: false }, origin);
    const { state } = await replacing.load(moderationCase, caseId);
    if (state) await alignFiles(state, signal, replacing);
  }

  async function alignFiles(
    { subject }: NonNullable<ModerationCase>,
    signal: AbortSignal,
    by: CommandHandler,
  ): Promise<void> {
    if (subject.kind === 'media' && !(await alignEvidence(subject.id, signal, by)))
      throw new PostponedJobError('Another process is moving the files', { after_ms: RETRY_ms });
  }

  async function mailOwner(
    { decision, ownerId, subject }: NonNullable<ModerationCase>,
    decisionId: string,
    about: 'decision' | 'appeal',
  ): Promise<void> {
    // If the moderation case has a newer decision, a separate job sends the mail about that decision.
    if (
      ownerId === null ||
      decision?.decisionId !== decisionId ||
      (about === 'decision' && decision.outcome === 'kept' && !decision.wasHidden) ||
      // The decision about the photo has its own mail.
      decision.outcome === 'photo_removed'
    )
      return;
    const to = await findAddress(ownerId);
    if (to === null) return;
    const statement = {
      site,
      decisionId,
      token: decision.outcome === 'account_closed' ? statementTokens.issue(decisionId) : null,
    };
    const file = subject.kind === 'media' ? fileChangeOf(decision) : null;
    const text =
      about === 'appeal' ? appealDecisionMailText(statement) : decisionMailText(statement, changeOf(decision), file);
    await sendMail(mail, { id: `${about}-${decisionId}`, to, unsubscribeUrl: null, ...text });
  }

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

type Decided = NonNullable<NonNullable<ModerationCase>['decision']>;

function changeOf({ outcome, changeBy, isAutomated }: Decided): ContentChange {
  switch (outcome) {
    case 'hidden':
      return isAutomated && changeBy !== undefined ? 'not_changed' : 'hidden';
    case 'removed':
    case 'warned':
    case 'change_requested':
      return outcome;
    default:
      return 'restored';
  }
}

function fileChangeOf(decision: Decided): ChangedFile {
  return { ad: isAdHiddenWithFile(decision) ? 'waits' : isAdDecidedWithFile(decision) ? 'decided' : 'stays' };
}
