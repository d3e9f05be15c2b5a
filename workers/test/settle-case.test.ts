import {
  account,
  addReport,
  claimCase,
  decideAppeal,
  decideCase,
  fileAppeal,
  listing,
  moderationCase,
  postAd,
  registerAccount,
  type Mail,
  type Outcome,
} from '@alpenglow/domain';
import {
  createCommandHandler,
  createMemoryEventStore,
  createStatementTokens,
  type CommandHandler,
} from '@alpenglow/infra';
import { describe, expect, test } from 'vitest';
import { settleCaseJob } from '../src/settle-case.ts';

const BY_TEST = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const statementTokens = createStatementTokens('ab'.repeat(32));
const CONTEXT = { attempt: 1, signal: new AbortController().signal };

const anna = {
  accountId: 'anna',
  email: 'anna@example.com',
  passwordHash: null,
  userType: 'provider',
  displayName: 'Anna',
  age: 30,
  isDemo: true,
} as const;

/** A provider whose ad was reported and decided about, by a call that ended there. */
async function decided(outcome: Outcome, wasHidden: boolean) {
  const store = createMemoryEventStore();
  const commands = createCommandHandler(store);
  const register = (now = new Date().toISOString()) =>
    commands.handle(account, 'anna', (state, context) => registerAccount(anna, state, context), BY_TEST, { now });
  await register();
  const fields = {
    name: 'Anna',
    title: 'Calm',
    category: 'escort',
    state: 'NV',
    city: 'Reno',
    description: 'Calm.',
    price: null,
    body: null,
    phone: null,
    socialMedia: null,
  } as const;
  const poster = { accountId: 'anna', isProvider: true, emailVerified: true };
  const posted = await commands.handle(
    listing,
    'anna',
    (state, context) =>
      postAd({ poster, clientId: null, fields, photos: [], video: null, isDemo: false }, state, context),
    BY_TEST,
  );
  const adId = posted.state.ad?.adId ?? '';
  const caseId = `ad-${adId}`;
  const judged = {
    subject: { kind: 'ad', id: adId },
    ownerId: 'anna',
    evidence: { stream: 'listing-anna', revision: 0 },
  } as const;
  await commands.handle(
    moderationCase,
    caseId,
    (state, context) => addReport({ ...judged, reportId: 'r1', reason: 'spam', isHiding: true }, state, context),
    BY_TEST,
  );
  await commands.handle(moderationCase, caseId, (state, context) => claimCase('mona', state, context), BY_TEST);
  const { state } = await commands.handle(
    moderationCase,
    caseId,
    (now, context) =>
      decideCase({ moderatorId: 'mona', outcome, rule: 'spam', facts: 'Secret facts.', wasHidden }, now, context),
    BY_TEST,
  );
  const sent: Mail[] = [];
  const signedOut: string[] = [];
  const sessions = { revokeAll: async (accountId: string) => void signedOut.push(accountId) };
  const decisionId = state?.decision?.decisionId ?? '';
  /** Runs the job, in a process that may have a way of its own to do commands. */
  const run = (about: 'decision' | 'appeal' = 'decision', id = decisionId, its: CommandHandler = commands) =>
    settleCaseJob({
      commands: its,
      sessions,
      store,
      mail: { send: async (mail) => void sent.push(mail) },
      statementTokens,
      site: 'https://alpenglow.example',
    })({ caseId, decisionId: id, about }, CONTEXT);
  const typesOf = async (stream: string) => (await store.readStream(stream, { limit: 100 })).map(({ type }) => type);
  return { commands, caseId, sent, signedOut, decisionId, register, run, typesOf };
}

test('the owner is told that there is a decision, never what or why', async () => {
  const { sent, decisionId, run } = await decided('hidden', false);
  await run();
  expect(sent).toMatchObject([{ id: `decision-${decisionId}`, to: 'anna@example.com', unsubscribeUrl: null }]);
  expect(sent[0]?.text).toContain(`https://alpenglow.example/account/decisions/${decisionId}`);
  expect(JSON.stringify(sent)).not.toMatch(/Secret|spam|hidden/u);
  await run('appeal');
  expect(sent.map(({ id }) => id)).toEqual([`decision-${decisionId}`, `appeal-${decisionId}`]);
});

test('of what stays they hear where it was out of sight until then', async () => {
  const quiet = await decided('kept', false);
  await quiet.run();
  expect(quiet.sent).toEqual([]);
  const heard = await decided('kept', true);
  await heard.run();
  expect(heard.sent).toHaveLength(1);
});

test('a decision that a newer one has replaced is told of no more', async () => {
  const { sent, run } = await decided('hidden', false);
  await run('decision', 'another');
  expect(sent).toEqual([]);
});

test.each(['decision', 'appeal'] as const)(
  'whose account it has closed gets a link that needs no login in the mail about the %s',
  async (about) => {
    const { sent, decisionId, run } = await decided('account_closed', true);
    await run(about);
    expect(sent).toMatchObject([{ to: 'anna@example.com' }]);
    expect(sent[0]?.text).toContain(
      `\nhttps://alpenglow.example/decisions/${decisionId}#${statementTokens.issue(decisionId)}\n`,
    );
    expect(sent[0]?.text).not.toMatch(/after logging in|Secret|spam/u);
  },
);

describe('a call that breaks off after it has decided to close an account', () => {
  const CLOSED = {
    account: ['AccountRegistered', 'EmailVerified', 'AccountClosed'],
    listing: ['AdPosted', 'AdHidden', 'AdDeleted', 'AdHoldLifted'],
  };
  const endOf = async ({ typesOf }: Awaited<ReturnType<typeof decided>>) => ({
    account: await typesOf('account-anna'),
    listing: await typesOf('listing-anna'),
  });

  test('is finished, once', async () => {
    const done = await decided('account_closed', true);
    await done.run();
    await done.run();
    expect(await endOf(done)).toEqual(CLOSED);
    expect(done.signedOut).toContain('anna');
    expect((await done.commands.load(account, 'anna')).state).toBeNull();
  });

  // The subject, the ad, favorites, follows, the account, the ad once more, what is posted next.
  test.each([0, 1, 2, 3, 4, 5, 6])('and whose job dies at its write %i, comes to the same end', async (dies) => {
    const done = await decided('account_closed', true);
    let writes = 0;
    const dying: CommandHandler = {
      ...done.commands,
      handle: (...args) => (writes++ === dies ? Promise.reject(new Error('died')) : done.commands.handle(...args)),
    };
    await expect(done.run('decision', done.decisionId, dying)).rejects.toThrow('died');
    expect(done.sent).toEqual([]);
    await done.run();
    expect(await endOf(done)).toEqual(CLOSED);
    expect(done.sent).toHaveLength(1);
  });

  test('closes nobody who has signed up with the address since', async () => {
    const done = await decided('account_closed', true);
    await done.run();
    await done.register(new Date(Date.now() + 1_000).toISOString());
    await done.run();
    expect((await done.commands.load(account, 'anna')).state).not.toBeNull();
  });

  test('closes nobody whose appeal was granted', async () => {
    const { commands, caseId, decisionId, run } = await decided('account_closed', true);
    await commands.handle(
      moderationCase,
      caseId,
      (state, context) => fileAppeal({ accountId: 'anna', decisionId, text: 'Not so.' }, state, context),
      BY_TEST,
    );
    await commands.handle(moderationCase, caseId, (state, context) => claimCase('max', state, context), BY_TEST);
    await commands.handle(
      moderationCase,
      caseId,
      (state, context) => decideAppeal({ moderatorId: 'max', outcome: 'overturned', facts: 'True.' }, state, context),
      BY_TEST,
    );
    await run('appeal');
    expect((await commands.load(account, 'anna')).state).not.toBeNull();
  });
});
