import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProjectionsAnswer } from '@alpenglow/domain';
import {
  createDataKeys,
  createPool,
  createPostgresEventStore,
  loadSecrets,
  migrate,
  withPersonalData,
} from '@alpenglow/infra';
import { openDatabase } from '../../infra/tools/database.ts';
import { withSetting } from '../../infra/tools/stores.ts';
import { storeAdHistory } from './ad-history.ts';
import { untilCaughtUp } from './generated-ads.ts';
import { httpClient } from './http-client.ts';
import { makeDataDir, startProductProcess } from './running-product.ts';
import { filterOf } from './searches.ts';
import { median, percentile } from './statistics.ts';

export interface RebuildFigures {
  readonly events: number;
  /** Of whole rebuilds, indexes and swap with them. */
  readonly eventsPerSecond: number;
  /** Until the last row is written, before its indexes are made. */
  readonly filledPerSecond: number;
  /** Of a rebuild in the product itself, while readers ask it, until it may be swapped in. */
  readonly inProductPerSecond: number;
  readonly quietP99_ms: number;
  /** Medians of the rounds' own ratios; a round asks without a rebuild, then during one. */
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
/** Readers ask at this pace, whatever the answers take. */
const ASK_EVERY_ms = 20;
/** As the panel does. */
const LOOK_EVERY_ms = 2_000;
const WARM_UP = 100;
const CONNECTIONS = 16;

/**
 * `npm run projections -- rebuild ad_cards` over the lives of 50,000 ads, all personal data sealed, in a process of its own beside a product
 * nobody asks; then while readers ask that product for lists, none of which is kept; then, with the same readers, as an admin has it done by
 * the product itself.
 */
export async function benchRebuild(root: string, say: (text: string) => void): Promise<RebuildFigures> {
  const dataDir = await makeDataDir();
  say(`Writing the history of ${ADS.toLocaleString('en')} ads`);
  await writeHistory(root, dataDir);
  say('Starting the product with them');
  const product = await startProductProcess(root, { DEMO: 'on' }, dataDir);
  try {
    await untilCaughtUp(product.url);
    const rebuilds: Rebuilt[] = [];
    for (let one = 0; one < REBUILDS; one += 1) {
      say(`Rebuilding ad_cards, ${one + 1} of ${REBUILDS}`);
      rebuilds.push(await rebuild(root, dataDir));
    }
    const readers = createReaders(product.url);
    await readers.askUntil(pause(WARM_UP * ASK_EVERY_ms));
    const panel = await openPanel(product.url);
    const quiet: number[] = [];
    const measure = async (rebuilding: () => Promise<unknown>): Promise<number> => {
      const without = percentile(await readers.askUntil(pause(QUIET_ms)), 99);
      quiet.push(without);
      return percentile(await readers.askUntil(rebuilding()), 99) / without;
    };
    const ofCommand: number[] = [];
    const ofPanel: number[] = [];
    const inProduct: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      say(`Readers without and during a rebuild, ${round + 1} of ${ROUNDS}`);
      ofCommand.push(await measure(() => rebuild(root, dataDir)));
      const begun_ms = performance.now();
      ofPanel.push(await measure(() => panel.rebuild()));
      inProduct.push((rebuilds[0]?.events ?? 0) / ((performance.now() - begun_ms - QUIET_ms) / 1000));
      await panel.giveUp();
    }
    readers.close();
    panel.close();
    return {
      events: rebuilds[0]?.events ?? 0,
      eventsPerSecond: median(rebuilds.map(({ perSecond }) => perSecond)),
      filledPerSecond: median(rebuilds.map(({ filledPerSecond }) => filledPerSecond)),
      inProductPerSecond: median(inProduct),
      quietP99_ms: median(quiet),
      commandRatio: median(ofCommand),
      panelRatio: median(ofPanel),
    };
  } finally {
    await product.stop();
  }
}

/** Before the product is started, so that it does not follow each event but builds its read models once. */
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
      createPostgresEventStore({ pool, connectionString: withSetting(database.url, 'synchronous_commit=off') }),
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

async function rebuild(root: string, dataDir: string): Promise<Rebuilt> {
  const child = spawn('npm', ['run', 'projections', '--', 'rebuild', 'ad_cards'], {
    cwd: root,
    env: { ...process.env, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const found = /from (\d+) events in [\d.]+ s \((\d+)\/s, without indexes (\d+)\/s\)/u.exec(text);
  if (code !== 0 || !found) throw new Error(`Rebuilding ended with ${String(code)}: ${text}`);
  const [events = 0, perSecond = 0, filledPerSecond = 0] = found.slice(1).map(Number);
  return { events, perSecond, filledPerSecond };
}

/** An admin at `/admin/projections`. */
async function openPanel(url: string) {
  const http = httpClient({ connections: 1 });
  const login = await http.send('POST', `${url}/api/auth/login`, {
    body: JSON.stringify({ email: 'admin@demo.alpenglow.example', password: 'alpenglow-demo' }),
  });
  const { token } = JSON.parse(login.body.toString('utf8')) as { token: string };
  const ask = (what: string) =>
    http.send('POST', `${url}/api/admin/projections/ad_cards/${what}`, { body: '{}', token });
  const until = async (state: string) => {
    for (;;) {
      const { data } = JSON.parse(
        (await http.send('GET', `${url}/api/admin/projections`, { token })).body.toString('utf8'),
      ) as ProjectionsAnswer;
      const found = data.find(({ name }) => name === 'ad_cards')?.rebuild?.state;
      if (found === state) return;
      if (found === 'failed') throw new Error('The rebuild failed');
      await pause(LOOK_EVERY_ms);
    }
  };
  return {
    /** Rebuilds and compares, until only the swap is left. */
    async rebuild(): Promise<void> {
      await ask('rebuild');
      await until('ready');
    },
    async giveUp(): Promise<void> {
      await ask('cancel');
      await until('cancelled');
    },
    close: () => http.close(),
  };
}

function createReaders(url: string) {
  const http = httpClient({ connections: CONNECTIONS });
  let asked = 0;
  const ask = async () => {
    const begun_ms = performance.now();
    // No address twice within a run: limits of pages tell the rounds of the same filter apart.
    await http.send('GET', `${url}/api/ads?${filterOf(asked)}&limit=${10 + (Math.floor((asked += 1) / 1_000) % 90)}`);
    return performance.now() - begun_ms;
  };
  return {
    /** Asks at a steady pace until `end` has come; answers how long each answer took, in ms. */
    async askUntil(end: Promise<unknown>): Promise<readonly number[]> {
      let isOver = false;
      const over = end.finally(() => (isOver = true));
      const answers: Promise<number>[] = [];
      for (let next_ms = performance.now(); !isOver; next_ms += ASK_EVERY_ms) {
        await pause(Math.max(0, next_ms - performance.now()));
        const answer = ask();
        answer.catch(() => undefined);
        answers.push(answer);
      }
      await over;
      return Promise.all(answers);
    },
    close: () => http.close(),
  };
}
