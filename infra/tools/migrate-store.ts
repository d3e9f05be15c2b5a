import path from 'node:path';
import { progressTowards, type EventStore, type Position, type RecordedEvent } from '@alpenglow/domain';
import { createClosing, createPool, migrate, readConfig, type Closing, type Config, type Pool } from '../src/index.ts';
import { copyEvents, verifyCopy } from './copy/copy-events.ts';
import { patiently, readEvents } from './copy/read-events.ts';
import {
  createPositionMap,
  readKeptPositions,
  switchPositions,
  type KeptPositions,
  type PositionMap,
} from './copy/switch-positions.ts';
import { APPLICATION_NAME, openDatabase, refuseWhileServicesRun } from './database.ts';
import { showProgress } from './progress.ts';
import { isPostgres, openStore } from './stores.ts';
import { readOptions, say, ToolError, WRONG_USAGE, type ToolOptions } from './tool.ts';

const USAGE = `Usage: npm run migrate:store -- --from <store> --to <store> [--switch]
  <store>    postgres         the database the product is configured with (DATABASE_URL, or the one in DATA_DIR)
             postgres://…     another database
             esdb://…         EventStoreDB or KurrentDB
  --switch   then has the read models go on in the new store; all services must be stopped
Steps and explanations: docs/backup.md`;

const THIS_DATABASE = 'postgres';
const ADDRESS = /^(?:postgres(?:ql)?|(?:esdb|kurrentdb|kdb)(?:\+discover)?):\/\/./u;

/**
 * `npm run migrate:store`: copies every event into another event store, goes on where an earlier copy ended, and verifies the
 * result. With `--switch`, moves the read models' positions over as well. Answers the exit code.
 */
export async function main(args: readonly string[], options: ToolOptions): Promise<number> {
  const given = readOptions(
    args,
    { from: { type: 'string' }, to: { type: 'string' }, switch: { type: 'boolean', default: false } },
    USAGE,
  );
  if (given === null) return WRONG_USAGE;
  const { from, to, switch: isSwitch } = given;
  const isStore = (text: string | undefined): text is string =>
    text === THIS_DATABASE || (text !== undefined && ADDRESS.test(text));
  if (!isStore(from) || !isStore(to)) {
    say(USAGE);
    return WRONG_USAGE;
  }
  const config = readConfig(options.env);
  const closing = createClosing();
  try {
    await migrateStore({ from, to, isSwitch, config, closing, options });
    return 0;
  } finally {
    await closing.closeAll();
  }
}

interface Plan {
  readonly from: string;
  readonly to: string;
  readonly isSwitch: boolean;
  readonly config: Config;
  readonly closing: Closing;
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
      'The product keeps its events in EventStoreDB or in the database it is configured with, and the target is neither. To move everything to another Postgres, use npm run backup and npm run restore.',
    );
  }

  const readModels = isSwitch ? await openReadModels(databaseUrl, closing) : null;
  const migrationsDir = path.join(rootDir, 'infra/migrations');
  if (isSwitch) await migrate(databaseUrl, { migrationsDir });
  if (isPostgres(addressOf(to))) await migrate(addressOf(to), { migrationsDir });
  const copying = createClosing();
  closing.add(() => copying.closeAll());
  const source = await openStore(addressOf(from), { closing });
  const target = await openStore(addressOf(to), { closing: copying, isCopy: true });

  const { head, map } = await copyAndVerify(
    source.store,
    target.store,
    readModels?.kept ?? { checkpoints: [], parked: [] },
    signal,
  );
  await target.flush();
  if (!readModels) {
    const hasMoved = (await source.store.head()) !== head;
    say(
      hasMoved
        ? 'Events came meanwhile: stop the services and run this again with --switch.'
        : 'To go over to the copy, stop the services and run this again with --switch.',
    );
    return;
  }
  const { pool, kept } = readModels;
  await refuseWhenGrown(source.store, head);
  // Where the target is the product's database, its connections would pass for those of a service.
  await copying.closeAll();
  await switchPositions(pool, {
    kept,
    map,
    to: isPostgres(addressOf(to)) ? 'postgres' : 'eventstoredb',
    mayGoOn: async () => {
      await refuseWhileServicesRun(pool);
      // A service that was only just stopped may have written until then.
      await refuseWhenGrown(source.store, head);
    },
  });
  say(
    `The read models now go on in the new store. Before the services start: ${isPostgres(addressOf(to)) ? 'unset EVENTSTORE_URL' : 'set EVENTSTORE_URL to it'}, and with Kafka give KAFKA_TOPIC a new name.`,
  );
}

async function refuseWhenGrown(source: EventStore, head: Position): Promise<void> {
  if ((await source.head()) !== head)
    throw new ToolError(
      'Events came while this was copying. Stop all services and run the same command again. Nothing was switched over.',
    );
}

async function openOwnDatabase(
  config: Config,
  closing: Closing,
  { rootDir, ownsDataDir }: ToolOptions,
): Promise<string> {
  const database = await openDatabase(config.databaseUrl, path.resolve(rootDir, config.dataDir), ownsDataDir);
  closing.add(() => database.close());
  return database.url;
}

interface ReadModels {
  readonly pool: Pool;
  readonly kept: KeptPositions;
}

/** The database with the read models, whose services must be stopped. */
async function openReadModels(databaseUrl: string, closing: Closing): Promise<ReadModels> {
  const pool = createPool({
    connectionString: databaseUrl,
    max: 2,
    applicationName: APPLICATION_NAME,
    statementTimeout_ms: 0,
  });
  closing.add(() => pool.end());
  await refuseWhileServicesRun(pool);
  return { pool, kept: await readKeptPositions(pool) };
}

/**
 * Copies up to the source's head and holds the whole copy against the source. Answers that head, and where the events at `kept`
 * positions are now. Throws `ToolError` as `copyEvents` and `verifyCopy` do.
 */
export async function copyAndVerify(
  source: EventStore,
  target: EventStore,
  kept: KeptPositions,
  signal?: AbortSignal,
): Promise<{ readonly head: Position; readonly map: PositionMap }> {
  const map = createPositionMap(kept);
  const head = await patiently(() => source.head(), signal);
  let position = head;

  async function* told(): AsyncGenerator<RecordedEvent> {
    for await (const event of readEvents(source, { until: head, signal })) {
      position = event.position;
      map.tellOld(event);
      yield event;
    }
  }

  const copying = showProgress('Copying', 'events');
  const copied = await copyEvents(told(), target, {
    signal,
    onProgress: ({ done }) => copying.update(done, progressTowards(position, head)),
  }).finally(() => copying.stop());
  say(`Copied ${copied.count - copied.found} events; ${copied.found} were there.`);

  const verifying = showProgress('Verifying', 'events');
  await verifyCopy(target, copied, {
    signal,
    onEvent: (event, done) => {
      map.tellNew(event);
      verifying.update(done, done / copied.count);
    },
  }).finally(() => verifying.stop());
  process.stdout.write(`Verified: ${copied.count} events, sha256 ${copied.sha256}\n`);
  return { head, map };
}

/** What tells one store from another, whatever names it is reached by. */
async function storeId(address: string): Promise<string> {
  return isPostgres(address) ? databaseId(address) : address;
}

async function databaseId(url: string): Promise<string> {
  const pool = createPool({ connectionString: url, max: 1, applicationName: APPLICATION_NAME });
  try {
    const { rows } = await pool.query<{ id: string }>(
      `select system_identifier || '/' || (select oid from pg_database where datname = current_database()) as id from pg_control_system()`,
    );
    return rows[0]?.id ?? url;
  } finally {
    await pool.end();
  }
}
