import { account, closeAccount, person, type RegisteredAccount } from '@alpenglow/domain';
import { createCommandHandler, createMemoryEventStore, type CommandHandler, type Sessions } from '@alpenglow/infra';
import { beforeEach, expect, test } from 'vitest';
import { openSession } from '../src/routes/auth/open-session.ts';

/** A login takes a while, in which an admin may close the account and somebody else sign up with its address, which has the same id again. */

const ID = 'a1';
const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };

let commands: CommandHandler;
/** Whose sessions there are, by token. */
let open: Map<string, string>;
let sessions: Sessions;
/** What others do while the session is being opened. */
let meanwhile: () => Promise<unknown>;

beforeEach(() => {
  commands = createCommandHandler(createMemoryEventStore());
  open = new Map();
  meanwhile = () => Promise.resolve();
  const notAsked = () => Promise.reject(new Error('Not of this test'));
  sessions = {
    async open({ accountId }) {
      await meanwhile();
      const token = `token ${open.size}`;
      open.set(token, accountId);
      return token;
    },
    revoke: (token) => Promise.resolve(void open.delete(token)),
    find: notAsked,
    refresh: notAsked,
    moveOn: notAsked,
    passTwoStep: notAsked,
    revokeAll: notAsked,
    sweep: notAsked,
  };
});

async function registered(passwordHash: string): Promise<RegisteredAccount> {
  const data = {
    accountId: ID,
    email: 'a@example.com',
    passwordHash,
    userType: 'client',
    displayName: 'A',
    age: 30,
    isDemo: false,
  } as const;
  const { state } = await commands.handle(account, ID, () => [{ type: 'AccountRegistered', data }], origin);
  if (!state) throw new Error('Not registered');
  return state;
}
const close = () => commands.handle(account, ID, (state) => closeAccount(null, state), origin);

test('an account that stays has its session', async () => {
  const token = await openSession({ commands, sessions }, await registered('hash'));
  expect([...open]).toEqual([[token, ID]]);
});

test.each<readonly [what: string, happens: () => Promise<unknown>]>([
  ['was closed', close],
  [
    'was closed, and its address has signed up again',
    async () => {
      await close();
      await registered('the next one’s hash');
    },
  ],
  [
    'asked to be erased',
    () =>
      commands.handle(
        person,
        ID,
        () => [{ type: 'ErasureRequested', data: { accountId: ID, receiptId: 'r', by: 'self', reason: null } }],
        origin,
      ),
  ],
  [
    'got another password',
    () =>
      commands.handle(
        account,
        ID,
        () => [{ type: 'PasswordChanged', data: { accountId: ID, passwordHash: 'another hash' } }],
        origin,
      ),
  ],
])('an account that %s meanwhile has none', async (_what, happens) => {
  const state = await registered('hash');
  meanwhile = happens;
  expect(await openSession({ commands, sessions }, state)).toBeNull();
  expect(open.size).toBe(0);
});
