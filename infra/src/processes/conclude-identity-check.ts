import {
  account,
  checkToConclude,
  destructionOf,
  identity,
  identityBlobPrefix,
  person,
  verificationOf,
  type BlobStore,
  type Position,
} from '@alpenglow/domain';
import type { Pool } from '../adapters/postgres/pool.ts';
import { findAccountOfSealedBlob } from '../security/sealed-blobs.ts';
import type { CommandHandler, CommandOrigin } from '../service/command-handler.ts';
import { sendCommand } from './send-command.ts';

export interface IdentityDependencies {
  readonly commands: CommandHandler;
  readonly blobs: BlobStore;
}

/** The age after which the upload of an identity picture counts as interrupted if no event mentions its file. */
const ORPHAN_AGE_ms = 60 * 60_000;
const PAGE = 100;
const BY_SYSTEM: CommandOrigin = {
  actor: { kind: 'system', name: 'identity checks' },
  correlationId: 'identity-round',
};

/**
 * Concludes an identity check that was decided or whose account is closed. Marks the account as verified if the check
 * was accepted. Destroys the uploaded identity pictures, unless a legal hold forbids this. Each step may already be
 * done, so a repeated call completes an interrupted one. Returns the position of the last write, or null if there was
 * none.
 */
export async function concludeIdentityCheck(
  { commands, blobs }: IdentityDependencies,
  accountId: string,
  origin: CommandOrigin,
): Promise<Position | null> {
  const [{ state }, { state: owner }] = await Promise.all([
    commands.load(identity, accountId),
    commands.load(account, accountId),
  ]);
  const check = checkToConclude(state, owner);
  if (!check) return null;
  const verification = verificationOf(check, accountId, owner);
  const verified = verification && (await sendCommand(commands, verification, origin));
  if (await isHeld(commands, accountId)) return verified?.position ?? null;
  await blobs.remove(identityBlobPrefix(check.checkId));
  return (await sendCommand(commands, destructionOf(check, accountId), origin)).position;
}

/**
 * Concludes interrupted identity checks, destroys the identity pictures of closed accounts, and removes files of
 * interrupted uploads. While an account is under a legal hold, its files are not removed. If a check fails, the
 * remaining checks are still concluded, and the promise rejects at the end.
 */
export async function sweepIdentityChecks(deps: IdentityDependencies & { readonly pool: Pool }): Promise<void> {
  const failures: unknown[] = [];
  for (let after = ''; ; ) {
    const { rows } = await deps.pool.query<{ account_id: string }>(
      `select account_id from rm.identity_checks c
        where not is_destroyed and account_id > $1
          and (status <> 'open' or not exists (
                select from rm.accounts a where a.account_id = c.account_id and a.registered_at <= c.requested_at))
        order by account_id limit $2`,
      [after, PAGE],
    );
    for (const { account_id: accountId } of rows)
      await concludeIdentityCheck(deps, accountId, BY_SYSTEM).catch((error: unknown) => failures.push(error));
    const last = rows.at(-1);
    if (rows.length < PAGE || !last) break;
    after = last.account_id;
  }
  for await (const { key, modifiedAt_ms } of deps.blobs.list('identity/')) {
    const checkId = key.split('/')[1] ?? '';
    if (Date.now() - modifiedAt_ms < ORPHAN_AGE_ms) continue;
    const { rowCount } = await deps.pool.query(
      'select from rm.identity_checks where check_id = $1 and not is_destroyed',
      [checkId],
    );
    if (rowCount !== 0) continue;
    // The table contains only the last identity check of each account, so this file may belong to an earlier check. The
    // account of that check may be under a legal hold, which forbids the removal.
    const accountId = await findAccountOfSealedBlob(deps.blobs, key);
    if (accountId === null || !(await isHeld(deps.commands, accountId))) await deps.blobs.remove(key);
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} identity checks could not be concluded`);
}

async function isHeld(commands: CommandHandler, accountId: string): Promise<boolean> {
  return (await commands.load(person, accountId)).state.heldSince !== null;
}
