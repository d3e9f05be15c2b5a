import { account, person, type RegisteredAccount } from '@alpenglow/domain';
import { closeAccount } from '@alpenglow/domain/deciders';
import { createCommandHandler, type CommandHandler, type Sessions } from '@alpenglow/infra';
import { beforeEach, expect, test } from 'vitest';
import { openSession } from '../src/routes/auth/open-session.ts';
import { createLimitedSessions } from './limited-sessions.ts';
import { createMemoryEventStore } from '../../tests/support/memory-event-store.ts';

/**
 * A login must not open a session if the account changes at the same time. For example, an admin may close the account,
 * and another person may sign up with the same e-mail address. The account of this person then has the same id.
 */

const ID = 'a1';
const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };

const CLIENT = { device: '', networkHash: '' };
let commands: CommandHandler;
/** Account ids of the open sessions, by session token. */
let open: Map<string, string>;
let sessions: Sessions;
/** A function that changes the account while a session is being opened. */
let changeConcurrently: () => Promise<unknown>;

beforeEach(() => {
  commands = createCommandHandler(createMemoryEventStore());
  open = new Map();
  changeConcurrently = () => Promise.resolve();
  sessions = createLimitedSessions({
    async open({ accountId }) {
      await changeConcurrently();
      const token = `token ${open.size}`;
      open.set(token, accountId);
      return token;
    },
    revoke: (token) => Promise.resolve(void open.delete(token)),
  });
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
const close = () => commands.execute(account, ID, closeAccount, { reason: null }, origin);

test('opens a session for an account that does not change', async () => {
  const token = await openSession({ commands, sessions }, CLIENT, await registered('hash'));
  expect([...open]).toEqual([[token, ID]]);
});

test.each<readonly [what: string, change: () => Promise<unknown>]>([
  ['was closed', close],
  [
    'was closed and registered again',
    async () => {
      await close();
      await registered('hash of the next account');
    },
  ],
  [
    'requested its erasure',
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
])('opens no session for an account that %s in the meantime', async (_what, change) => {
  const state = await registered('hash');
  changeConcurrently = change;
  expect(await openSession({ commands, sessions }, CLIENT, state)).toBeNull();
  expect(open.size).toBe(0);
});
