import {
  account,
  destroyIdentityEvidence,
  identity,
  identityBlobs,
  isRequestOf,
  person,
  verifyAccountByAdmin,
  type BlobStore,
  type Position,
} from '@alpenglow/domain';
import type { Pool } from './adapters/postgres/pool.ts';
import type { CommandHandler, CommandOrigin } from './command-handling.ts';
import { accountOfSealedBlob } from './sealed-blobs.ts';

export interface IdentityDependencies {
  readonly commands: CommandHandler;
  readonly blobs: BlobStore;
}

/** What lies without an event for so long belongs to an upload that broke off. */
const ORPHAN_AGE_ms = 60 * 60_000;
const PAGE = 100;
const BY_SYSTEM: CommandOrigin = {
  actor: { kind: 'system', name: 'identity checks' },
  correlationId: 'identity-round',
};

/**
 * Does what follows from a decided check: the account is verified where it was accepted, the evidence destroyed in any case, unless a legal hold keeps it. Each
 * step may be done already, so that a call that broke off is finished by the next one. A check that is open is left alone unless the account that asked is gone;
 * who signed up with its address since did not ask, and is not verified. Answers the position of the last write; null when there was none.
 */
export async function concludeIdentityCheck(
  { commands, blobs }: IdentityDependencies,
  accountId: string,
  origin: CommandOrigin,
): Promise<Position | null> {
  const [{ state: check }, { state: owner }] = await Promise.all([
    commands.load(identity, accountId),
    commands.load(account, accountId),
  ]);
  if (!check || check.isDestroyed) return null;
  const isAskerThere = owner !== null && isRequestOf(check, owner);
  if (check.status === 'open' && isAskerThere) return null;
  const verified =
    check.status === 'accepted' && isAskerThere
      ? await commands.handle(
          account,
          accountId,
          (now) => (now && isRequestOf(check, now) ? verifyAccountByAdmin(check.reason, now) : []),
          origin,
        )
      : null;
  if (await isHeld(commands, accountId)) return verified?.position ?? null;
  await blobs.remove(identityBlobs(check.checkId));
  const destroyed = await commands.handle(
    identity,
    accountId,
    (now) => (now?.checkId === check.checkId ? destroyIdentityEvidence(accountId, now) : []),
    origin,
  );
  return destroyed.position;
}

/**
 * Finishes decisions that broke off, destroys what closed accounts have handed in, and what uploads that broke off have left. What a legal hold keeps stays until
 * it is lifted. One that fails holds up none of the others; then it rejects at the end.
 */
export async function sweepIdentityChecks(deps: IdentityDependencies & { readonly pool: Pool }): Promise<void> {
  const failures: unknown[] = [];
  for (let after = ''; ; ) {
    const { rows } = await deps.pool.query<{ account_id: string }>(
      `select account_id from rm.identity_checks c
        where not is_destroyed and account_id > $1
          and (status <> 'open' or not exists (select from rm.accounts a where a.account_id = c.account_id and a.registered_at <= c.requested_at))
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
    // A request that was followed by another one is in no row any more, and may be held as well.
    const accountId = await accountOfSealedBlob(deps.blobs, key);
    if (accountId === null || !(await isHeld(deps.commands, accountId))) await deps.blobs.remove(key);
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} identity checks could not be concluded`);
}

async function isHeld(commands: CommandHandler, accountId: string): Promise<boolean> {
  return (await commands.load(person, accountId)).state.heldSince !== null;
}
