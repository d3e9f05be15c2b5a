import { account, identity, person, removeIdentityCopy, type AccountState, type BlobStore } from '@alpenglow/domain';
import { decideIdentityCheck, registerAccount, requestIdentityCheck, setLegalHold } from '@alpenglow/domain/deciders';
import { expect, test, vi } from 'vitest';
import { createMemoryEventStore } from '../../tests/support/memory-event-store.ts';
import { TEST_ORIGIN } from '../../tests/support/recording.ts';
import { createCommandHandler } from '../src/service/command-handler.ts';

const accountId = 'anna';
const copy = { accountId, checkId: 'c1' };

/** An account with an identity check that waits for a decision. */
async function openWorld() {
  const commands = createCommandHandler(createMemoryEventStore());
  const remove = vi.fn(() => Promise.resolve());
  const anna = {
    accountId,
    email: 'anna@example.com',
    passwordHash: null,
    userType: 'provider',
    displayName: 'Anna',
    age: 30,
    isDemo: true,
  } as const;
  const { state } = await commands.execute(account, accountId, registerAccount, anna, TEST_ORIGIN);
  const owner = state as NonNullable<AccountState>;
  const request = { checkId: copy.checkId, files: 1, provider: owner };
  await commands.execute(identity, accountId, requestIdentityCheck, request, TEST_ORIGIN);
  return {
    commands,
    owner,
    remove,
    run: () => removeIdentityCopy({ commands, blobs: { remove } as unknown as BlobStore }, copy, TEST_ORIGIN),
    load: async () => (await commands.load(identity, accountId)).state,
  };
}

test('a check that waits for a decision is rejected, and its pictures are destroyed', async () => {
  const { run, load, remove } = await openWorld();
  expect(await run()).toMatchObject({ isDestroyed: true });
  expect(await load()).toMatchObject({ status: 'refused', isDestroyed: true });
  expect(remove).toHaveBeenCalled();
});

test('an account whose check was accepted is verified before its pictures are destroyed', async () => {
  const { commands, owner, run, load } = await openWorld();
  const decision = { accountId, isAccepted: true, reason: 'It is Anna.', owner };
  // The process was killed before it verified the account.
  await commands.execute(identity, accountId, decideIdentityCheck, decision, TEST_ORIGIN);
  expect(await run()).toMatchObject({ isDestroyed: true });
  expect(await load()).toMatchObject({ status: 'accepted', isDestroyed: true });
  expect((await commands.load(account, accountId)).state).toMatchObject({ verifiedByAdmin: true });
});

test('pictures under a legal hold do not count as destroyed', async () => {
  const { commands, run, load, remove } = await openWorld();
  const hold = { accountId, reason: 'An investigation.' };
  await commands.execute(person, accountId, setLegalHold, hold, TEST_ORIGIN);
  expect(await run()).toMatchObject({ isDestroyed: false });
  expect(await load()).toMatchObject({ status: 'refused', isDestroyed: false });
  expect(remove).not.toHaveBeenCalled();
});
