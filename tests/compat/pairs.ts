/** Runs the smoke flows of remotes in a browser, with builds of the shell and of the remote that may differ in age. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import {
  createHttpMetrics,
  createLogger,
  createErrorHandler,
  createMetrics,
  createRequestContext,
} from '@alpenglow/infra';
import express from 'express';
import type { Browser } from 'playwright-core';
import { createProxy } from '../../infra/gateway/proxy.ts';
import { watchUpstreams } from '../../infra/gateway/upstreams.ts';
import { deploy, type Artifact } from '../../shell/build/registry.mjs';
import { findIncompatibilities, offerOf } from '../../shell/build/shell-compatibility.mjs';
import { localKeys } from '../../shell/build/signing.mjs';
import { createShellServer } from '../../shell/server/index.ts';
import { openVisitor } from '../support/browser.ts';
import type { World } from '../support/people.ts';
import type { SmokeFlow } from '../support/smoke-flow.ts';

/** A build of a remote. */
export interface RemoteBuild {
  readonly dist: string;
  readonly artifact: Artifact;
}

export interface Pair {
  /** The folder of a build of the shell. */
  readonly shellDir: string;
  readonly remote: RemoteBuild;
}

export interface PairResult {
  readonly shell: string;
  readonly name: string;
  readonly remote: string;
  /** `unused` means that a site would not give this build to this shell. */
  readonly outcome: 'works' | 'unused' | 'fails';
  readonly reasons: readonly string[];
  readonly duration_ms: number;
}

interface PairsContext {
  readonly browser: Browser;
  /** The product whose API the pages use, and its content. */
  readonly apiUrl: string;
  readonly world: World;
  readonly flows: readonly SmokeFlow[];
}

/** Number of pairs that are checked at the same time. */
const MAX_PARALLEL = 2;
/** The longest time of a step of a flow. */
const STEP_LIMIT_ms = 15_000;

/** Messages in the console that are no problem of a shell or a remote. */
const EXPECTED_MESSAGES = /preloaded using link preload|Service Worker registration blocked/u;

/**
 * Checks pairs of builds and passes each result to `report` as soon as it is known. A pair works if all flows of the
 * remote end, the console has no errors, and the server renders the pages that it renders in a deployment.
 */
export async function checkPairs(
  pairs: readonly Pair[],
  context: PairsContext,
  report: (result: PairResult) => void = () => undefined,
): Promise<readonly PairResult[]> {
  const results: PairResult[] = [];
  const remaining = pairs.values();
  const work = async () => {
    for (const pair of remaining) {
      const result = await checkPair(pair, context);
      results.push(result);
      report(result);
    }
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL }, work));
  return results;
}

async function checkPair(pair: Pair, context: PairsContext): Promise<PairResult> {
  const started_ms = performance.now();
  const offer = offerOf(JSON.parse(await readFile(path.join(pair.shellDir, 'build.json'), 'utf8')) as object);
  const { name, hash } = pair.remote.artifact;
  const misfits = findIncompatibilities(pair.remote.artifact, offer);
  const problems = misfits.length > 0 ? [] : await runFlows(pair, context);
  return {
    shell: offer.hash,
    name,
    remote: hash,
    outcome: misfits.length > 0 ? 'unused' : problems.length > 0 ? 'fails' : 'works',
    reasons: [...misfits, ...problems],
    duration_ms: Math.round(performance.now() - started_ms),
  };
}

/** Serves a site with the two builds, and runs the flows in it. Returns what does not work. */
async function runFlows(pair: Pair, { browser, apiUrl, world, flows }: PairsContext): Promise<readonly string[]> {
  const site = await startSite(pair, apiUrl);
  const problems: string[] = [];
  try {
    for (const flow of flows) {
      const visitor = await openVisitor(browser, site.url, { token: world.tokenOf(flow.visitor ?? 'guest') });
      visitor.setDefaultTimeout(STEP_LIMIT_ms);
      visitor.on('weberror', (error) => problems.push(`${flow.name}: ${String(error.error())}`));
      visitor.on('console', (message) => {
        if (message.type() === 'error' && !EXPECTED_MESSAGES.test(message.text()))
          problems.push(`${flow.name}: ${message.text()}`);
      });
      try {
        await flow.run(await visitor.newPage(), world);
      } catch (error) {
        problems.push(`${flow.name}: ${error instanceof Error ? error.message : String(error)}`);
      } finally {
        await visitor.close();
      }
    }
    return [...problems, ...site.problems];
  } finally {
    await site.stop();
  }
}

/** Starts the server of this checkout with a build of the shell and one remote, behind a gateway to the API. */
async function startSite({ shellDir, remote: { dist, artifact } }: Pair, apiUrl: string) {
  const stops: (() => unknown)[] = [];
  const folder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-compat-'));
  const mfDir = path.join(folder, 'mf');
  stops.push(() => rm(folder, { recursive: true, force: true }));
  const { signature: _signature, ...unsigned } = artifact;
  await deploy({
    mfDir,
    dist,
    artifact: unsigned,
    shell: { hash: '', contracts: [] },
    isAhead: true,
    keys: localKeys(mfDir),
  });

  const problems: string[] = [];
  const shell = express();
  shell.get('/readyz', (_req, res) => void res.end());
  shell.use(
    createShellServer({
      ...{ mfDir, distDir: shellDir, siteUrl: null, reads: null, metrics: null },
      log: { warn: (fields, text) => problems.push(`server: ${text} ${describeError(fields)}`) },
      onStop: (close) => stops.push(close),
    }),
  );
  const shellUrl = await listen(shell, stops);
  const [shellGroup, apiGroup] = [await watchUpstreams([shellUrl]), await watchUpstreams([apiUrl])];
  stops.push(
    () => shellGroup.stop(),
    () => apiGroup.stop(),
  );
  const proxy = createProxy(
    { shell: shellGroup, commandApi: apiGroup, queryApi: apiGroup },
    { trustedProxies: 0, recordAttempt: () => undefined },
  );
  stops.push(() => proxy.close());
  const log = createLogger('silent');
  const gateway = express().use(
    createRequestContext(log, createHttpMetrics(createMetrics())),
    proxy.handler,
    createErrorHandler(log),
  );
  const url = await listen(gateway, stops, proxy.upgrade);
  return {
    url,
    problems,
    async stop() {
      proxy.drain();
      for (const stop of stops.toReversed()) await stop();
    },
  };
}

const describeError = (fields: object) =>
  'err' in fields && fields.err instanceof Error ? fields.err.message : JSON.stringify(fields);

type Upgrade = ReturnType<typeof createProxy>['upgrade'];

/** Starts a server on a free port and returns its URL. */
async function listen(app: express.Express, stops: (() => unknown)[], upgrade?: Upgrade): Promise<string> {
  const server = createServer(app);
  if (upgrade) server.on('upgrade', upgrade);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
