import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type pg from 'pg';
import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { LaunchedProduct } from '../support/launched-product.ts';
import { signalGroup, type Launches } from '../support/launches.ts';
import { connect, packedFile, unpackDataFolder } from './data-folder.ts';
import { readContent, type FolderContent } from './folder-content.ts';
import { readData, readLog, readPublicAds, waitForJobs, type LogState } from './read-data.ts';

/** The time between the stop of the earlier build and the first start of the current one, by the product's clock. */
const PAUSE_ms = 60_000;
/** Longer than the interval of the task that hashes photos. */
const QUIET_ms = 5_000;

/** A running product of the current build on the data folder of an earlier build. */
export interface UpgradedProduct {
  readonly url: string;
  readonly database: pg.Client;
  /** Stops the product, and expects that it has logged no warning. */
  stop(): Promise<void>;
}

/**
 * Restores the packed data folder `name` into the data folder of the test. The products that `start` launches use a
 * clock that continues at the time at which the earlier build was stopped, so the result does not depend on the age of
 * the packed folder.
 */
export async function restoreInstallation(name: string, { dataDir, launch }: Launches) {
  const content = await readContent(name);
  await unpackDataFolder(await readFile(packedFile(name)), dataDir.path);
  const clock: Readonly<Record<string, string>> = {
    NODE_OPTIONS: `--import=${pathToFileURL(path.resolve(import.meta.dirname, '../support/clock.mjs')).href}`,
    CLOCK_SHIFT_MS: String(Date.parse(content.stoppedAt) + PAUSE_ms - Date.now()),
  };
  const launchUpgrade = (env: Readonly<Record<string, string>> = {}): LaunchedProduct =>
    launch({ env: { DEMO: 'on', EXPOSE_VERIFICATION_CODES: 'on', LOG_LEVEL: 'info', ...clock, ...env } });

  async function start(env: Readonly<Record<string, string>> = {}): Promise<UpgradedProduct> {
    const product = launchUpgrade(env);
    const url = await product.ready();
    const database = await connect(dataDir.path);
    return {
      url,
      database,
      async stop() {
        await database.end();
        signalGroup(product, 'SIGINT');
        expect(await product.ended()).toEqual({ code: 0, signal: null });
        expect(unexpectedLines(product.stderr())).toEqual([]);
      },
    };
  }
  return { content, launch: launchUpgrade, start };
}

interface Warning {
  readonly level: number;
  readonly msg: string;
  readonly kind?: string;
  readonly duty?: string;
}

/** Returns the lines of the error output that are neither steps of the start nor expected log lines. */
function unexpectedLines(stderr: string): readonly string[] {
  const WARN = 40;
  const isExpected = (line: string) => {
    if (/^ {2}[…✓] /u.test(line)) return true;
    if (!line.startsWith('{')) return false;
    const { level, msg, kind, duty } = JSON.parse(line) as Warning;
    const isInterruptedJob = msg === 'job taken over from a stopped worker' && kind === 'photo-variants';
    // On a busy machine, the process may be too slow to renew the session with its duties. It then opens another one.
    const isSlow = msg === 'duty failed, restarting it' && duty === 'leadership';
    return level < WARN || isInterruptedJob || isSlow;
  };
  return stderr.split('\n').filter((line) => line !== '' && !isExpected(line));
}

/**
 * Expects that the product returns everything that the earlier build stored, that no event of the log has changed, that
 * the interrupted job is completed, and that no table contains a text of the erased person.
 */
export async function expectNothingLost({ url, database }: UpgradedProduct, content: FolderContent): Promise<void> {
  const { made, data, log, publicAds, interrupted } = content;
  expect(await readData(url, made)).toEqual(data);
  expect(await readLog(database, log.events)).toEqual(log);
  const listed = new Set(await readPublicAds(url));
  // The first start with demo data opens cases, and some of them hide their ad.
  const { rows: hidden } = await database.query<{ id: string }>(
    `select hidden.data ->> 'adId' as id
       from es.events as hidden
       join es.events as opened on opened.type = 'CaseOpened' and opened.data ->> 'caseId' = hidden.data ->> 'caseId'
      where hidden.type = 'AdHidden' and least(hidden.position, opened.position) > $1`,
    [log.events],
  );
  const lost = publicAds.filter((id) => !listed.has(id));
  expect(lost.filter((id) => !hidden.some((ad) => ad.id === id))).toEqual([]);
  await eventually(async () => expect(await eventTypes(database, interrupted.mediaId)).toContain('PhotoVariantsMade'));
  expect(await tablesWith(database, made.erased.word)).toEqual([]);
}

async function eventTypes(database: pg.Client, mediaId: string): Promise<readonly string[]> {
  const { rows } = await database.query<{ type: string }>(
    `select type from es.events where stream = $1 order by position`,
    [`media-${mediaId}`],
  );
  return rows.map(({ type }) => type);
}

/** Returns the names of all tables that contain the word. */
async function tablesWith(database: pg.Client, word: string): Promise<readonly string[]> {
  const { rows: tables } = await database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rowCount } = await database.query(
      `select from ${name} as one where position(lower($1) in lower(one::text)) > 0 limit 1`,
      [word],
    );
    if (rowCount !== 0) found.push(name);
  }
  return found;
}

/**
 * Waits until no job is waiting or running and the log stays the same, and returns its state. The first start adds the
 * hashes of all photos to the log (0118), some of them every two seconds.
 */
export async function settledLog({ url, database }: UpgradedProduct): Promise<LogState> {
  await waitForJobs(url);
  return eventually(async () => {
    const before = await readLog(database);
    await pause(QUIET_ms);
    const after = await readLog(database);
    expect(after).toEqual(before);
    return after;
  });
}
