import {
  account,
  listing,
  findEventDefinition,
  moderationCase,
  type EventStore,
  type Mail,
  type Outcome,
  type RecordedEvent,
  type StreamId,
  toStreamId,
  toCaseId,
  UnrecoverableJobError,
} from '@alpenglow/domain';
import {
  addReport,
  claimCase,
  decideAppeal,
  decideCase,
  fileAppeal,
  postAd,
  registerAccount,
} from '@alpenglow/domain/deciders';
import {
  createCommandHandler,
  createLogger,
  createStatementTokens,
  withReplacedPersonalData,
  type CommandHandler,
} from '@alpenglow/infra';
import { describe, expect, test, vi } from 'vitest';
import { AD_FIELDS } from '../../domain/test/listing/posted-ad.ts';
import { createJobContext } from '../../tests/support/job-context.ts';
import { createMemoryEventStore } from '../../tests/support/memory-event-store.ts';
import { createSettleCaseHandler } from '../src/settle-case.ts';

const BY_TEST = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const statementTokens = createStatementTokens('ab'.repeat(32));

const anna = {
  accountId: 'anna',
  email: 'anna@example.com',
  passwordHash: null,
  userType: 'provider',
  displayName: 'Anna',
  age: 30,
  isDemo: true,
} as const;

/**
 * Creates a provider whose ad was reported, and a decision of a moderator about the ad. The decision has not been
 * applied to the ad or the account yet.
 */
async function prepareDecision(outcome: Outcome, wasHidden: boolean) {
  const store = createMemoryEventStore();
  const commands = createCommandHandler(store);
  const register = (now = new Date().toISOString()) =>
    commands.execute(account, 'anna', registerAccount, anna, BY_TEST, { now });
  await register();
  const poster = { accountId: 'anna', isProvider: true, emailVerified: true };
  const posted = await commands.execute(
    listing,
    'anna',
    postAd,
    { poster, clientId: null, fields: AD_FIELDS, photos: [], video: null, isDemo: false },
    BY_TEST,
  );
  const adId = posted.state.ad?.adId ?? '';
  const caseId = toCaseId({ kind: 'ad', id: adId });
  const judged = {
    subject: { kind: 'ad', id: adId },
    ownerId: 'anna',
    evidence: { stream: toStreamId(listing, 'anna'), revision: 0 },
  } as const;
  await commands.execute(
    moderationCase,
    caseId,
    addReport,
    { ...judged, reportId: 'r1', reason: 'spam', canHide: true },
    BY_TEST,
  );
  await commands.execute(moderationCase, caseId, claimCase, { moderatorId: 'mona' }, BY_TEST);
  const { state } = await commands.execute(
    moderationCase,
    caseId,
    decideCase,
    { moderatorId: 'mona', outcome, rule: 'spam', facts: 'Secret facts.', wasHidden },
    BY_TEST,
  );
  const sent: Mail[] = [];
  const signedOut: string[] = [];
  // In this store, the id of a session is that of its account.
  const sessions = {
    findIds: async (accountId: string) => [accountId],
    revokeByIds: async (ids: readonly string[]) => void signedOut.push(...ids),
    revokeAll: async (accountId: string) => void signedOut.push(accountId),
  };
  const decisionId = state?.decision?.decisionId ?? '';
  const handlerDeps = {
    commands,
    sessions,
    store,
    mail: { send: async (mail: Mail) => void sent.push(mail) },
    statementTokens,
    site: 'https://alpenglow.example',
    alignEvidence: () => Promise.resolve(true),
    createCommandsWithoutPersonalData: () => commands,
    log: createLogger('silent'),
  };
  /**
   * Runs the job that applies the decision of a moderator or of an appeal. `jobCommands` can make the writes of the job
   * fail.
   */
  const run = (about: 'decision' | 'appeal' = 'decision', id = decisionId, jobCommands: CommandHandler = commands) =>
    createSettleCaseHandler({ ...handlerDeps, commands: jobCommands })(
      { caseId, decisionId: id, about },
      createJobContext(),
    );
  /** Decides a case about a photo of the same owner, and runs its job. */
  async function runAboutPhoto(alignEvidence: () => Promise<boolean>, mail = handlerDeps.mail): Promise<void> {
    const photoCase = toCaseId({ kind: 'media', id: 'm1' });
    const reported = {
      ...judged,
      subject: { kind: 'media', id: 'm1' },
      reportId: 'r2',
      reason: 'spam',
      canHide: true,
    } as const;
    await commands.execute(moderationCase, photoCase, addReport, reported, BY_TEST);
    await commands.execute(moderationCase, photoCase, claimCase, { moderatorId: 'mona' }, BY_TEST);
    const decided = await commands.execute(
      moderationCase,
      photoCase,
      decideCase,
      { moderatorId: 'mona', outcome: 'removed', rule: 'spam', facts: 'Secret facts.', wasHidden: false },
      BY_TEST,
    );
    const about = {
      caseId: photoCase,
      decisionId: decided.state?.decision?.decisionId ?? '',
      about: 'decision',
    } as const;
    await createSettleCaseHandler({ ...handlerDeps, alignEvidence, mail })(about, createJobContext());
  }
  /** Runs the job while no personal field of any event can be decrypted. */
  async function runWithoutKeys(): Promise<void> {
    const lose = (event: RecordedEvent): RecordedEvent => {
      const personal = Object.keys(findEventDefinition(event.type)?.personalFields ?? {});
      const readable = Object.entries(event.data as object).filter(([name]) => !personal.includes(name));
      return personal.length === 0 ? event : { ...event, data: Object.fromEntries(readable), unreadable: 'no key' };
    };
    const unreadable: EventStore = {
      ...store,
      readStream: async (stream, options) => (await store.readStream(stream, options)).map(lose),
    };
    const handle = createSettleCaseHandler({
      ...handlerDeps,
      commands: createCommandHandler(unreadable),
      createCommandsWithoutPersonalData: () => createCommandHandler(withReplacedPersonalData(unreadable)),
    });
    await handle({ caseId, decisionId, about: 'decision' }, createJobContext());
  }
  const typesOf = async (stream: StreamId) => (await store.readStream(stream, { limit: 100 })).map(({ type }) => type);
  return { commands, caseId, sent, signedOut, decisionId, register, run, runWithoutKeys, runAboutPhoto, typesOf };
}

test.each([
  ['hidden', 'AdHidden', []],
  ['account_closed', 'AdDeleted', ['anna']],
] as const)(
  'the decision "%s" takes effect although no personal data can be decrypted',
  async (outcome, type, ended) => {
    const { sent, signedOut, typesOf, run, runWithoutKeys } = await prepareDecision(outcome, false);
    await expect(runWithoutKeys()).rejects.toThrow('no key');
    expect(await typesOf(toStreamId(listing, 'anna'))).toContain(type);
    expect([...new Set(signedOut)]).toEqual(ended);
    expect(sent).toEqual([]);
    await run();
    expect(sent).toHaveLength(1);
  },
);

test('the mail about a decision contains neither the content nor the reasons', async () => {
  const { sent, decisionId, run } = await prepareDecision('hidden', false);
  await run();
  expect(sent).toMatchObject([{ id: `decision-${decisionId}`, to: 'anna@example.com', unsubscribeUrl: null }]);
  expect(sent[0]?.text).toContain(`https://alpenglow.example/account/decisions/${decisionId}`);
  expect(JSON.stringify(sent)).not.toMatch(/Secret|spam/u);
  await run('appeal');
  expect(sent.map(({ id }) => id)).toEqual([`decision-${decisionId}`, `appeal-${decisionId}`]);
});

test('mails about hidden, removed and restored content have different subjects', async () => {
  const subjects: (string | undefined)[] = [];
  for (const [outcome, wasHidden] of [
    ['hidden', false],
    ['removed', false],
    ['kept', true],
  ] as const) {
    const { sent, run } = await prepareDecision(outcome, wasHidden);
    await run();
    subjects.push(sent[0]?.subject);
  }
  expect(subjects).toEqual([
    'Your content at Alpenglow was hidden',
    'Your content at Alpenglow was removed',
    'Your content at Alpenglow is visible again',
  ]);
});

test('a decision about a photo is mailed even if its files cannot be moved', async () => {
  const { sent, runAboutPhoto } = await prepareDecision('hidden', false);
  await expect(runAboutPhoto(() => Promise.reject(new Error('The evidence cannot be decrypted')))).rejects.toThrow(
    'The evidence cannot be decrypted',
  );
  expect(sent).toMatchObject([{ to: 'anna@example.com' }]);
});

test('the files of a photo are moved even if the mail is rejected for good', async () => {
  const { runAboutPhoto } = await prepareDecision('hidden', false);
  const alignEvidence = vi.fn(() => Promise.resolve(true));
  const rejecting = { send: () => Promise.reject(new UnrecoverableJobError('no such mailbox')) };
  await expect(runAboutPhoto(alignEvidence, rejecting)).rejects.toThrow('no such mailbox');
  expect(alignEvidence).toHaveBeenCalledOnce();
});

test('the mail about a removed photo says that the rest stays online, and what the owner can do', async () => {
  const { sent, runAboutPhoto } = await prepareDecision('hidden', false);
  await runAboutPhoto(() => Promise.resolve(true));
  expect(sent).toMatchObject([{ subject: 'A photo or video at Alpenglow was removed' }]);
  expect(sent[0]?.text).toContain('Everything else stays online without it, and you can choose another one.');
});

test('the owner of restored content is mailed only if it was hidden before', async () => {
  const visible = await prepareDecision('kept', false);
  await visible.run();
  expect(visible.sent).toEqual([]);
  const hidden = await prepareDecision('kept', true);
  await hidden.run();
  expect(hidden.sent).toHaveLength(1);
});

test('sends no mail about a decision that was replaced', async () => {
  const { sent, run } = await prepareDecision('hidden', false);
  await run('decision', 'another');
  expect(sent).toEqual([]);
});

test.each(['decision', 'appeal'] as const)(
  'the mail about the %s has a link without login if the account was closed',
  async (about) => {
    const { sent, decisionId, run } = await prepareDecision('account_closed', true);
    await run(about);
    expect(sent).toMatchObject([{ to: 'anna@example.com' }]);
    expect(sent[0]?.text).toContain(
      `\nhttps://alpenglow.example/decisions/${decisionId}#${statementTokens.issue(decisionId)}\n`,
    );
    expect(sent[0]?.text).not.toMatch(/after logging in|Secret|spam/u);
  },
);

describe('a request that is interrupted after the decision to close an account', () => {
  const CLOSED = {
    account: ['AccountRegistered', 'EmailVerified', 'AccountClosed'],
    listing: ['AdPosted', 'AdHidden', 'AdDeleted', 'AdHoldLifted'],
  };
  const endOf = async ({ typesOf }: Awaited<ReturnType<typeof prepareDecision>>) => ({
    account: await typesOf(toStreamId(account, 'anna')),
    listing: await typesOf(toStreamId(listing, 'anna')),
  });

  test('is completed, once', async () => {
    const done = await prepareDecision('account_closed', true);
    await done.run();
    await done.run();
    expect(await endOf(done)).toEqual(CLOSED);
    expect(done.signedOut).toContain('anna');
    expect((await done.commands.load(account, 'anna')).state).toBeNull();
  });

  // The job has seven writes: it hides the ad, removes the ad, removes the favorites, unfollows the threads, closes the
  // account, removes the ad again, and ends the effect of the moderation case on the account's ads.
  test.each([0, 1, 2, 3, 4, 5, 6])('is completed even if the job fails at write %i', async (failingWrite) => {
    const done = await prepareDecision('account_closed', true);
    let writes = 0;
    const failingCommands: CommandHandler = {
      ...done.commands,
      handle: (...args) =>
        writes++ === failingWrite ? Promise.reject(new Error('write failed')) : done.commands.handle(...args),
      execute: (...args) =>
        writes++ === failingWrite ? Promise.reject(new Error('write failed')) : done.commands.execute(...args),
    };
    await expect(done.run('decision', done.decisionId, failingCommands)).rejects.toThrow('write failed');
    expect(done.sent).toEqual([]);
    await done.run();
    expect(await endOf(done)).toEqual(CLOSED);
    expect(done.sent).toHaveLength(1);
  });

  test('does not close a new account with the same address', async () => {
    const done = await prepareDecision('account_closed', true);
    await done.run();
    await done.register(new Date(Date.now() + 1_000).toISOString());
    await done.run();
    expect((await done.commands.load(account, 'anna')).state).not.toBeNull();
  });

  test('does not close the account after a successful appeal', async () => {
    const { commands, caseId, decisionId, run } = await prepareDecision('account_closed', true);
    await commands.execute(
      moderationCase,
      caseId,
      fileAppeal,
      { registeredAt: null, accountId: 'anna', decisionId, text: 'Not so.' },
      BY_TEST,
    );
    await commands.execute(moderationCase, caseId, claimCase, { moderatorId: 'max' }, BY_TEST);
    await commands.execute(
      moderationCase,
      caseId,
      decideAppeal,
      { moderatorId: 'max', outcome: 'overturned', facts: 'True.' },
      BY_TEST,
    );
    await run('appeal');
    expect((await commands.load(account, 'anna')).state).not.toBeNull();
  });
});
