import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { removal, removalReference } from '@alpenglow/domain';
import { requestRemoval } from '@alpenglow/domain/deciders';
import {
  createCommandHandler,
  createDataKeys,
  createRemovalCopies,
  createResourceStack,
  readConfig,
  SYSTEM_CORRELATION_IDS,
  withPersonalData,
  type CommandOrigin,
  type RemovalCopy,
} from '@alpenglow/infra';
import { findInstallationSecrets, requireSecrets } from './backup/secrets.ts';
import { inspectDatabase, openInstallation } from './installation.ts';
import { EXIT_WRONG_USAGE, printMessage, readOptions, ToolError, type ToolOptions } from './tool.ts';

const USAGE =
  'Usage: npm run removals -- --from <file or folder>     recovers removal requests from the mails to the operator';
const EXIT_INCOMPLETE = 1;
const ORIGIN: CommandOrigin = {
  actor: { kind: 'system', name: 'removal' },
  correlationId: SYSTEM_CORRELATION_IDS.recoverRemovals,
};

/**
 * `npm run removals`: recovers the removal requests whose copies are in a mail or in a folder of mails, if the event
 * store lacks them, e.g. after the restore of an older backup. Each request has its original time, so its
 * deadline does not change. The product may be running. Its workers then hide the named content again. A copy that
 * cannot be decrypted is reported with its file, and does not stop the others. Returns the exit code, which is then 1.
 * Throws `ToolError` if nothing is found.
 */
export async function main(args: readonly string[], options: ToolOptions): Promise<number> {
  const { from } = readOptions(args, { from: { type: 'string' } }, USAGE) ?? {};
  if (from === undefined) {
    printMessage(USAGE);
    return EXIT_WRONG_USAGE;
  }
  const closing = createResourceStack();
  try {
    const config = readConfig(options.env);
    await requireSecrets(config, path.resolve(options.rootDir, config.dataDir));
    const installation = await openInstallation(options, closing);
    if (!(await inspectDatabase(installation.pool)).isOurs)
      throw new ToolError('There is no installation yet: start the product once.');
    const { dataKeys } = await findInstallationSecrets(installation, true);
    // npm runs in the folder of the product, and stores the folder of the caller in INIT_CWD.
    const source = path.resolve(options.env['INIT_CWD'] ?? process.cwd(), from);
    const { copies, unreadable } = await readCopies(source, createRemovalCopies(dataKeys).openAll);
    const store = withPersonalData(installation.events.store, createDataKeys(installation.pool, dataKeys));
    const commands = createCommandHandler(store);
    let recovered = 0;
    for (const copy of copies) {
      const { requestId } = copy;
      const { events } = await commands.execute(removal, requestId, requestRemoval, copy, ORIGIN);
      if (events.length === 0) continue;
      recovered += 1;
      process.stdout.write(`${removalReference(requestId)}\t${copy.recoveredFrom}\n`);
    }
    printMessage(`${recovered} of ${copies.length} requests were missing and are recovered.`);
    for (const file of unreadable) printMessage(`A copy in ${file} was changed, or is from another installation.`);
    return unreadable.length === 0 ? 0 : EXIT_INCOMPLETE;
  } finally {
    await closing.closeAll();
  }
}

interface ReadCopies {
  readonly copies: readonly RemovalCopy[];
  /** The files of the copies that cannot be decrypted. */
  readonly unreadable: readonly string[];
}

/** Returns the requests in all copies in a file, or in the files of a folder. */
async function readCopies(
  source: string,
  openAll: (text: string) => readonly (RemovalCopy | null)[],
): Promise<ReadCopies> {
  const copies: RemovalCopy[] = [];
  const unreadable: string[] = [];
  for (const file of await listFiles(source))
    for (const copy of openAll(await readFile(file, 'utf8')))
      if (copy === null) unreadable.push(file);
      else copies.push(copy);
  if (copies.length + unreadable.length === 0) throw new ToolError(`${source} contains no copy of a removal request.`);
  return { copies, unreadable };
}

async function listFiles(source: string): Promise<readonly string[]> {
  const found = await stat(source).catch((error: NodeJS.ErrnoException) => {
    throw new ToolError(error.code === 'ENOENT' ? `${source} does not exist.` : error.message);
  });
  if (!found.isDirectory()) return [source];
  const entries = await readdir(source, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => path.join(source, name));
}
