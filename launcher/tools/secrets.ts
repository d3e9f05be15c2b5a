import path from 'node:path';
import {
  countDataKeys,
  findAccountIdProblem,
  findAccountIdSecret,
  createResourceStack,
  findDataKeySecretProblem,
  findSecrets,
  readConfig,
  rewrapAccountIdKey,
  rewrapDataKeys,
  secretIdsOf,
  selectSecrets,
  type DataKeyCount,
  type Pool,
  type Secrets,
} from '@alpenglow/infra';
import { openDatabase, openToolPool } from './database.ts';
import { showProgress } from './progress.ts';
import { EXIT_WRONG_USAGE, printMessage, ToolError, type ToolOptions } from './tool.ts';

const USAGE = `Usage:
  npm run secrets -- status   shows which secrets in SECRET_ACCOUNT_IDS and SECRET_DATA_KEYS are needed
  npm run secrets -- rewrap   encrypts all keys with the first secret, so that the others can be removed
Steps of a rotation: docs/operations.md`;

const POOL_SIZE = 2;

/**
 * `npm run secrets`: shows which secrets encrypt stored keys, or encrypts all keys with the first secret (decisions
 * 0063 and 0064). The product may be running. After an interruption, the next call continues. Returns the exit code.
 */
export async function main(
  args: readonly string[],
  { env, rootDir, ownsDataDir, signal }: ToolOptions,
): Promise<number> {
  const [command] = args;
  if (args.length !== 1 || (command !== 'status' && command !== 'rewrap')) {
    printMessage(USAGE);
    return EXIT_WRONG_USAGE;
  }
  const config = readConfig(env);
  const dataDir = path.resolve(rootDir, config.dataDir);
  const closing = createResourceStack();
  try {
    const secrets = selectSecrets(config.secrets, ['accountIds', 'dataKeys']) ?? (await findSecrets(dataDir));
    if (secrets === null)
      throw new ToolError('The secrets are not here: set SECRET_*, or DATA_DIR to the folder that has secrets.json.');
    const database = await openDatabase(config.databaseUrl, dataDir, ownsDataDir);
    closing.add(() => database.close());
    const pool = openToolPool(database.url, POOL_SIZE, closing);
    if (command === 'status') {
      printDataKeys(await countDataKeys(pool), secretIdsOf(secrets.dataKeys));
      printAccountIdKey(await findAccountIdSecret(pool), secretIdsOf(secrets.accountIds));
      return 0;
    }
    await rewrap(pool, secrets, signal);
    return 0;
  } finally {
    await closing.closeAll();
  }
}

async function rewrap(
  pool: Pool,
  secrets: Pick<Secrets, 'accountIds' | 'dataKeys'>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const problems = {
    SECRET_ACCOUNT_IDS: await findAccountIdProblem(pool, secrets.accountIds),
    SECRET_DATA_KEYS: await findDataKeySecretProblem(pool, secrets.dataKeys),
  };
  for (const [name, problem] of Object.entries(problems))
    if (problem !== null) throw new ToolError(`${name}: ${problem}. Nothing was changed.`);
  const progress = showProgress('Encrypting', 'keys');
  const count = await rewrapDataKeys(pool, secrets.dataKeys, {
    onProgress: (done, total) => progress.update(done, done / total),
    signal,
  }).finally(() => progress.stop());
  await rewrapAccountIdKey(pool, secrets.accountIds);
  process.stdout.write(`Encrypted ${count} keys again.\n`);
  printUnneeded('SECRET_DATA_KEYS', secrets.dataKeys, '');
  printUnneeded(
    'SECRET_ACCOUNT_IDS',
    secrets.accountIds,
    ' Links in earlier mails, such as those for unsubscribing, then become invalid.',
  );
}

function printUnneeded(variable: string, secrets: string, effect: string): void {
  const [currentId, ...otherIds] = secretIdsOf(secrets);
  process.stdout.write(`${variable}: all keys are encrypted with the secret with the id ${currentId}.\n`);
  if (otherIds.length > 0)
    process.stdout.write(
      `The other secrets (${otherIds.join(', ')}) can now be removed from ${variable}. Remove them in every process ` +
        `and restart.${effect} Earlier backups can only be restored with them: store them until you delete these ` +
        'backups.\n',
    );
}

function printAccountIdKey(secretId: string | null, availableIds: readonly string[]): void {
  const isAvailable = secretId === null || availableIds.includes(secretId);
  process.stdout.write('SECRET_ACCOUNT_IDS\n');
  for (const id of availableIds)
    process.stdout.write(`${id}\t${describeAccountIdSecret(id, secretId, availableIds[0])}\n`);
  if (!isAvailable) process.stdout.write(`${secretId}\tMISSING in SECRET_ACCOUNT_IDS\n`);
}

function describeAccountIdSecret(id: string, secretId: string | null, currentId: string | undefined): string {
  if (id === secretId || secretId === null)
    return id === currentId ? 'current' : 'needed until npm run secrets -- rewrap is done';
  return id === currentId ? 'current, after npm run secrets -- rewrap' : 'can be removed';
}

function printDataKeys(counts: readonly DataKeyCount[], availableIds: readonly string[]): void {
  process.stdout.write('SECRET_DATA_KEYS\n');
  for (const { id, keys, replacedAt } of counts) {
    const isAvailable = id === null || availableIds.includes(id);
    process.stdout.write(
      [
        id ?? 'no id           ',
        `${keys} keys`,
        describeUse({ id, keys, replacedAt }, availableIds[0]),
        ...(isAvailable || replacedAt !== null ? [] : ['MISSING in SECRET_DATA_KEYS']),
      ].join('\t') + '\n',
    );
  }
}

function describeUse({ id, keys, replacedAt }: DataKeyCount, currentId: string | undefined): string {
  if (id === currentId) return 'current';
  if (id === null) return 'stored by an earlier release';
  if (replacedAt !== null && keys === 0) return `replaced on ${replacedAt.toISOString().slice(0, 10)}, can be removed`;
  return 'needed until npm run secrets -- rewrap is done';
}
