import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ResponseOf } from '@alpenglow/domain';
import {
  createDataKeys,
  createPool,
  createPostgresEventStore,
  loadSecrets,
  migrate,
  withPersonalData,
} from '@alpenglow/infra';
import { openDatabase } from '../launcher/tools/database.ts';
import { withPostgresSetting } from '../launcher/tools/stores.ts';
import { storeAdHistory } from './ad-history.ts';
import { waitUntilCaughtUp } from './generated-ads.ts';
import { createHttpClient } from './http-client.ts';
import { runScript } from './npm.ts';
import { createDataDir, startProductProcess } from './running-product.ts';
import { createUniqueFilterQuery } from './list-scale.ts';
import { median, percentile } from './statistics.ts';

export interface RebuildFigures {
  /**
   * Events per second of a complete rebuild. Includes the creation of indexes and the replacement of the old tables.
   */
  readonly eventsPerSecond: number;
  /** Events per second until the last row is written, without the creation of indexes. */
  readonly filledPerSecond: number;
  /**
   * Events per second of a rebuild in the product itself, while readers send requests. The measurement ends when the
   * new tables are ready to replace the old tables.
   */
  readonly inProductPerSecond: number;
  readonly quietP99_ms: number;
  /** Latency during a rebuild divided by the latency without a rebuild. Median of all rounds. */
  readonly commandRatio: number;
  readonly panelRatio: number;
}

interface Rebuilt {
  readonly events: number;
  readonly perSecond: number;
  readonly filledPerSecond: number;
}

const ADS = 50_000;
const REBUILDS = 3;
const ROUNDS = 3;
const QUIET_ms = 10_000;
/** Interval between the requests of the readers. It is fixed and does not depend on the response times. */
const REQUEST_INTERVAL_ms = 20;
/** Polling interval of the admin panel. */
const POLL_INTERVAL_ms = 2_000;
const WARM_UP = 100;
const CONNECTIONS = 16;

/**
 * Measures rebuilds of the read model ad_cards from the events of 50,000 ads with encrypted personal data. First runs
 * `npm run projections -- rebuild ad_cards` while the product is idle. Then runs the command while readers request
 * uncached lists. Finally, an admin starts the rebuild in the product, and the same readers send requests.
 */
export async function benchRebuild(root: string, printProgress: (text: string) => void): Promise<RebuildFigures> {
  const dataDir = await createDataDir();
  printProgress(`Writing the history of ${ADS.toLocaleString('en')} ads`);
  await writeHistory(root, dataDir);
  printProgress('Starting the product with this history');
  const product = await startProductProcess(root, { DEMO: 'on' }, dataDir);
  try {
    await waitUntilCaughtUp(product.url);
    const rebuilds: Rebuilt[] = [];
    for (let index = 0; index < REBUILDS; index += 1) {
      printProgress(`Rebuilding ad_cards, ${index + 1} of ${REBUILDS}`);
      rebuilds.push(await rebuild(root, dataDir));
    }
    const readers = createReaders(product.url);
    await readers.readUntil(pause(WARM_UP * REQUEST_INTERVAL_ms));
    const panel = await openPanel(product.url);
    const quiet: number[] = [];
    const measure = async (rebuilding: () => Promise<unknown>): Promise<number> => {
      const without = percentile(await readers.readUntil(pause(QUIET_ms)), 99);
      quiet.push(without);
      return percentile(await readers.readUntil(rebuilding()), 99) / without;
    };
    const commandRatios: number[] = [];
    const panelRatios: number[] = [];
    const inProduct: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      printProgress(`Readers without and during a rebuild, ${round + 1} of ${ROUNDS}`);
      commandRatios.push(await measure(() => rebuild(root, dataDir)));
      const started_ms = performance.now();
      panelRatios.push(await measure(() => panel.rebuild()));
      inProduct.push((rebuilds[0]?.events ?? 0) / ((performance.now() - started_ms - QUIET_ms) / 1000));
      await panel.cancel();
    }
    readers.close();
    panel.close();
    return {
      eventsPerSecond: median(rebuilds.map(({ perSecond }) => perSecond)),
      filledPerSecond: median(rebuilds.map(({ filledPerSecond }) => filledPerSecond)),
      inProductPerSecond: median(inProduct),
      quietP99_ms: median(quiet),
      commandRatio: median(commandRatios),
      panelRatio: median(panelRatios),
    };
  } finally {
    await product.stop();
  }
}

/** Writes the events before the product starts, so that the product builds its read models only once. */
async function writeHistory(root: string, dataDir: string): Promise<void> {
  const database = await openDatabase(null, dataDir, true, { isBulk: true });
  try {
    await migrate(database.url, { migrationsDir: path.join(root, 'infra/migrations') });
    const pool = createPool({
      connectionString: database.url,
      max: 4,
      applicationName: 'bench',
      statementTimeout_ms: 0,
    });
    const { dataKeys } = await loadSecrets(dataDir);
    const store = withPersonalData(
      createPostgresEventStore({ pool, connectionString: withPostgresSetting(database.url, 'synchronous_commit=off') }),
      createDataKeys(pool, dataKeys),
    );
    try {
      await storeAdHistory(store, ADS);
    } finally {
      await store.close();
      await pool.end();
    }
  } finally {
    await database.close();
  }
}

/** Runs `npm run projections -- rebuild ad_cards` for the product with this data directory. */
export async function rebuild(root: string, dataDir: string): Promise<Rebuilt> {
  const text = await runScript(root, ['projections', '--', 'rebuild', 'ad_cards'], { DATA_DIR: dataDir });
  const found = /from (\d+) events in [\d.]+ s \((\d+)\/s, without indexes (\d+)\/s\)/u.exec(text);
  if (!found) throw new Error(`Rebuilding printed no rates: ${text}`);
  const [events = 0, perSecond = 0, filledPerSecond = 0] = found.slice(1).map(Number);
  return { events, perSecond, filledPerSecond };
}

/** Logs in as an admin. The returned functions send the requests of the page `/admin/projections`. */
async function openPanel(url: string) {
  const http = createHttpClient({ connections: 1 });
  const login = await http.send('POST', `${url}/api/auth/login`, {
    body: JSON.stringify({ email: 'admin@demo.alpenglow.example', password: 'alpenglow-demo' }),
  });
  const { token } = JSON.parse(login.body.toString('utf8')) as { token: string };
  const sendRequest = (action: string) =>
    http.send('POST', `${url}/api/admin/projections/ad_cards/${action}`, { body: '{}', token });
  const waitForState = async (state: string) => {
    for (;;) {
      const { data } = JSON.parse(
        (await http.send('GET', `${url}/api/admin/projections`, { token })).body.toString('utf8'),
      ) as ResponseOf<'listProjections'>;
      const found = data.find(({ name }) => name === 'ad_cards')?.rebuild?.state;
      if (found === state) return;
      if (found === 'failed') throw new Error('The rebuild failed');
      await pause(POLL_INTERVAL_ms);
    }
  };
  return {
    /** Starts a rebuild and waits until its new tables are ready to replace the old tables. */
    async rebuild(): Promise<void> {
      await sendRequest('rebuild');
      await waitForState('ready');
    },
    async cancel(): Promise<void> {
      await sendRequest('cancel');
      await waitForState('cancelled');
    },
    close: () => http.close(),
  };
}

function createReaders(url: string) {
  const http = createHttpClient({ connections: CONNECTIONS });
  let requestCount = 0;
  const sendRequest = async () => {
    const started_ms = performance.now();
    // Each URL is requested only once in a run. If a filter is repeated, the page limit makes the URL unique.
    const filter = createUniqueFilterQuery(requestCount);
    const limit = 10 + (Math.floor((requestCount += 1) / 1_000) % 90);
    await http.send('GET', `${url}/api/ads?${filter}&limit=${limit}`);
    return performance.now() - started_ms;
  };
  return {
    /** Sends requests at regular intervals until `end` resolves. Returns the response times in milliseconds. */
    async readUntil(end: Promise<unknown>): Promise<readonly number[]> {
      let isOver = false;
      const over = end.finally(() => (isOver = true));
      const responses: Promise<number>[] = [];
      for (let next_ms = performance.now(); !isOver; next_ms += REQUEST_INTERVAL_ms) {
        await pause(Math.max(0, next_ms - performance.now()));
        const response = sendRequest();
        response.catch(() => undefined);
        responses.push(response);
      }
      await over;
      return Promise.all(responses);
    },
    close: () => http.close(),
  };
}
