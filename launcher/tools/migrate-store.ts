import path from 'node:path';
import { estimateProgress, type EventStore, type Position, type RecordedEvent } from '@alpenglow/domain';
import {
  createResourceStack,
  createPool,
  migrate,
  readConfig,
  readEventStoreInUse,
  requireSameEventStore,
  type ResourceStack,
  type Config,
} from '@alpenglow/infra';
import { copyEvents, verifyCopy } from './copy/copy-events.ts';
import { retryDuringOutages, readEvents } from './copy/read-events.ts';
import {
  createPositionMap,
  readStoredPositions,
  switchPositions,
  type StoredPositions,
  type PositionMap,
} from './copy/switch-positions.ts';
import { APPLICATION_NAME, openDatabase, requireStoppedServices, openToolPool } from './database.ts';
import { findRunningPostgres } from '../postgres/index.ts';
import { showProgress } from './progress.ts';
import { isPostgres, openStore } from './stores.ts';
import { readOptions, printMessage, ToolError, EXIT_WRONG_USAGE, type ToolOptions } from './tool.ts';

const USAGE = `Usage: npm run migrate:store -- --from <store> --to <store> [--switch]
  <store>    postgres         the database the product is configured with (DATABASE_URL, or the one in DATA_DIR)
             postgres://…     another database
             esdb://…         EventStoreDB or KurrentDB
             env:NAME         the address in this environment variable: every user of the machine can read arguments
  --switch   then switches the read models to the new store; all services must be stopped
Steps and explanations: docs/backup.md`;

const THIS_DATABASE = 'postgres';
const ADDRESS = /^(?:postgres(?:ql)?|(?:esdb|kurrentdb|kdb)(?:\+discover)?):\/\/./u;

/**
 * `npm run migrate:store`: copies all events into another event store and verifies the copy. Continues an earlier copy
 * that was interrupted. With `--switch`, also converts the positions of the read models. Returns the exit code.
 */
export async function main(args: readonly string[], options: ToolOptions): Promise<number> {
  const values = readOptions(
    args,
    { from: { type: 'string' }, to: { type: 'string' }, switch: { type: 'boolean', default: false } },
    USAGE,
  );
  if (values === null) return EXIT_WRONG_USAGE;
  const unset = [values.from, values.to].map(variableIn).find((name) => name !== null && !options.env[name]);
  if (unset) {
    printMessage(`The environment variable ${unset} is not set.\n\n${USAGE}`);
    return EXIT_WRONG_USAGE;
  }
  const [from, to] = [values.from, values.to].map((store) => addressIn(store, options.env));
  const { switch: isSwitch } = values;
  const isStore = (text: string | undefined): text is string =>
    text === THIS_DATABASE || (text !== undefined && ADDRESS.test(text));
  if (!isStore(from) || !isStore(to)) {
    printMessage(USAGE);
    return EXIT_WRONG_USAGE;
  }
  const config = readConfig(options.env);
  const closing = createResourceStack();
  try {
    await migrateStore({ from, to, isSwitch, config, closing, options });
    return 0;
  } finally {
    await closing.closeAll();
  }
}

/** Returns the name of the environment variable that contains the address of a store. Null if the argument does. */
const variableIn = (store: string | undefined): string | null => /^env:(\w+)$/u.exec(store ?? '')?.[1] ?? null;

/** Returns the address of a store. */
function addressIn(store: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const name = variableIn(store);
  return name === null ? store : env[name];
}

interface Plan {
  readonly from: string;
  readonly to: string;
  readonly isSwitch: boolean;
  readonly config: Config;
  readonly closing: ResourceStack;
  readonly options: ToolOptions;
}

async function migrateStore({ from, to, isSwitch, config, closing, options }: Plan): Promise<void> {
  const { rootDir, signal } = options;
  const needsDatabase = isSwitch || from === THIS_DATABASE || to === THIS_DATABASE;
  const databaseUrl = needsDatabase ? await openOwnDatabase(config, closing, options) : '';
  const addressOf = (store: string) => (store === THIS_DATABASE ? databaseUrl : store);
  const own = isSwitch ? await databaseId(databaseUrl) : null;
  const [sourceId, targetId] = [await storeId(addressOf(from)), await storeId(addressOf(to))];
  if (sourceId === targetId) throw new ToolError('Both are the same store.');
  if (own !== null && isPostgres(addressOf(to)) && targetId !== own) {
    throw new ToolError(
      'The product stores its events in EventStoreDB or in the database it is configured with, ' +
        'and the target is neither. To move everything to another Postgres, use npm run backup and npm run restore.',
    );
  }

  const readModels = isSwitch ? await openReadModels(databaseUrl, closing) : null;
  const streamPrefix = config.eventStoreStreamPrefix;
  if (!isPostgres(addressOf(from))) {
    if (readModels) await requireSameEventStore(readModels.pool, { kind: 'eventstoredb', streamPrefix });
    else await requireOwnPrefix(databaseUrl, config, closing, options);
  }
  const migrationsDir = path.join(rootDir, 'infra/migrations');
  if (isSwitch) await migrate(databaseUrl, { migrationsDir });
  if (isPostgres(addressOf(to))) await migrate(addressOf(to), { migrationsDir });
  const copying = createResourceStack();
  closing.add(() => copying.closeAll());
  const source = await openStore(addressOf(from), { closing, streamPrefix });
  const target = await openStore(addressOf(to), { closing: copying, isCopy: true, streamPrefix });

  const { head, map } = await copyAndVerify(
    source.store,
    target.store,
    readModels?.storedPositions ?? { checkpoints: [], parked: [] },
    signal,
  );
  await target.flush();
  if (!readModels) {
    const hasMoved = (await source.store.readHead()) !== head;
    printMessage(
      hasMoved
        ? 'New events were added in the meantime: stop the services and run this again with --switch.'
        : 'To switch to the copy, stop the services and run this again with --switch.',
    );
    return;
  }
  const { pool, storedPositions } = readModels;
  await rejectIfGrown(source.store, head);
  // The connections to the target are closed, because the next check would treat them as connections of a service.
  await copying.closeAll();
  await switchPositions(pool, {
    storedPositions,
    map,
    to: isPostgres(addressOf(to)) ? { kind: 'postgres', streamPrefix: '' } : { kind: 'eventstoredb', streamPrefix },
    checkAllowed: async () => {
      await requireStoppedServices(pool);
      // A service may have added events while the events were copied, so the source is checked again.
      await rejectIfGrown(source.store, head);
    },
  });
  const withPrefix = streamPrefix === '' ? '' : ` and EVENTSTORE_STREAM_PREFIX to ${JSON.stringify(streamPrefix)}`;
  printMessage(
    'The read models now use the new store. Before the services start: ' +
      `${isPostgres(addressOf(to)) ? 'unset EVENTSTORE_URL' : `set EVENTSTORE_URL to it${withPrefix}`}, ` +
      'and with Kafka give KAFKA_TOPIC a new name.',
  );
}

/**
 * Checks that the configured prefix of streams is that of the installation, if its database can be reached and its
 * events are in EventStoreDB. A copy with another prefix lacks events, or has other names of streams. Throws
 * `ToolError`.
 */
async function requireOwnPrefix(
  databaseUrl: string,
  config: Config,
  closing: ResourceStack,
  { rootDir }: ToolOptions,
): Promise<void> {
  const url = databaseUrl || config.databaseUrl || (await findRunningPostgres(path.resolve(rootDir, config.dataDir)));
  if (!url) return;
  const inUse = await readEventStoreInUse(openToolPool(url, 1, closing)).catch(() => null);
  if (inUse?.kind === 'eventstoredb' && inUse.streamPrefix !== config.eventStoreStreamPrefix)
    throw new ToolError(
      `EVENTSTORE_STREAM_PREFIX must be ${JSON.stringify(inUse.streamPrefix)}, as the streams of this installation ` +
        'have this prefix. Nothing was copied.',
    );
}

async function rejectIfGrown(source: EventStore, head: Position): Promise<void> {
  if ((await source.readHead()) !== head)
    throw new ToolError(
      'New events were added during the copy. Stop all services and run the same command again. ' +
        'Nothing was switched over.',
    );
}

async function openOwnDatabase(
  config: Config,
  closing: ResourceStack,
  { rootDir, ownsDataDir }: ToolOptions,
): Promise<string> {
  const database = await openDatabase(config.databaseUrl, path.resolve(rootDir, config.dataDir), ownsDataDir);
  closing.add(() => database.close());
  return database.url;
}

/** Opens the database of the read models and reads its stored positions. Throws `ToolError` if services use it. */
async function openReadModels(databaseUrl: string, closing: ResourceStack) {
  const pool = openToolPool(databaseUrl, 2, closing);
  await requireStoppedServices(pool);
  return { pool, storedPositions: await readStoredPositions(pool) };
}

/**
 * Copies all events of the source and compares the copy with the source. Returns the position of the last copied event,
 * and a map from stored positions to positions in the new store. Throws `ToolError` if the copy fails or differs.
 */
export async function copyAndVerify(
  source: EventStore,
  target: EventStore,
  storedPositions: StoredPositions,
  signal?: AbortSignal,
): Promise<{ readonly head: Position; readonly map: PositionMap }> {
  const map = createPositionMap(storedPositions);
  const head = await retryDuringOutages(() => source.readHead(), signal);
  let position = head;

  async function* sourceEvents(): AsyncGenerator<RecordedEvent> {
    for await (const event of readEvents(source, { until: head, signal })) {
      position = event.position;
      map.addOldEvent(event);
      yield event;
    }
  }

  const copying = showProgress('Copying', 'events');
  const copied = await copyEvents(sourceEvents(), target, {
    signal,
    onProgress: ({ done }) => copying.update(done, estimateProgress(position, head)),
  }).finally(() => copying.stop());
  printMessage(`Copied ${copied.count - copied.found} events; ${copied.found} were already there.`);

  const verifying = showProgress('Verifying', 'events');
  await verifyCopy(target, copied, {
    signal,
    onEvent: (event, done) => {
      map.addNewEvent(event);
      verifying.update(done, done / copied.count);
    },
  }).finally(() => verifying.stop());
  process.stdout.write(`Verified: ${copied.count} events, sha256 ${copied.sha256}\n`);
  return { head, map };
}

/** Returns an id of a store. Different addresses of the same database have the same id. */
async function storeId(address: string): Promise<string> {
  return isPostgres(address) ? databaseId(address) : address;
}

async function databaseId(url: string): Promise<string> {
  const pool = createPool({ connectionString: url, max: 1, applicationName: APPLICATION_NAME });
  try {
    const { rows } = await pool.query<{ id: string }>(
      `select system_identifier || '/' || (select oid from pg_database where datname = current_database()) as id
         from pg_control_system()`,
    );
    return rows[0]?.id ?? url;
  } finally {
    await pool.end();
  }
}
