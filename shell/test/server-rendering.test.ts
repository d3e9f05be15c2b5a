/** The server renders pages with the live deployment of each remote (decision 0087). The remotes are real bundles. */
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { findSandbox } from '@alpenglow/infra';
import { CONTRACT_VERSION } from '@alpenglow/ui/contract';
import { EMBEDDED_RESPONSES_ID } from '@alpenglow/ui/embedded-responses';
import { LOCALES } from '@alpenglow/ui/locales';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../tests/support/eventually.ts';
import { serveRoutes } from '../../tests/support/served-routes.ts';
import { digestOf } from '../build/digests.mjs';
import { createPreviewToken, localKeys, signBuild } from '../build/signing.mjs';
import { createShellServer } from '../server/index.ts';
import { NO_READS } from './test-shell.ts';

const DIST = path.resolve(import.meta.dirname, '../dist');
const SAFE_PAGE = '/community';

let dir: string;
let served: Awaited<ReturnType<typeof serveRoutes>>;
const entries: Record<string, object> = {};
const warnings: string[] = [];

/** Returns a container of Module Federation whose `./App` is the module `code`. It can load the shared modules. */
const containerOf = (code: string) => `
  let scope;
  const load = async (name) => (await Object.values(scope[name])[0].get())();
  exports.init = (shareScope) => void (scope = shareScope);
  exports.get = async () => {
    const exports = {};
    ${code}
    return () => exports;
  };
`;

/** Deploys a remote whose module for the server is `moduleCode`. Its `exports.default` is the component. */
async function deploy(name: string, moduleCode: string, changed = ''): Promise<string> {
  const code = containerOf(moduleCode);
  const hash = createHash('sha256').update(code).digest('hex').slice(0, 16);
  const folder = path.join(dir, 'mf', name, hash, 'server');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'server.cjs'), code);
  const integrity = digestOf(code + changed);
  const preloadData = { '/listings': ['/api/things{?q}'] };
  const build = {
    name,
    hash,
    container: name.replaceAll('-', '_'),
    contract: CONTRACT_VERSION,
    preload: [],
    integrity: {},
    server: { integrity },
    preloadData,
  };
  entries[name] = signBuild(build, localKeys(path.join(dir, 'mf')).privateKey);
  await writeFile(path.join(dir, 'mf/registry.json'), JSON.stringify({ remotes: entries }));
  return hash;
}

/** A text with characters of all lengths in UTF-8, and with texts that have a meaning in the HTML of a page. */
const ANY_TEXT = 'é … 😀 \u2028 <!--rendered-html--><!--rendered-queries--></script>';

/** The code of a remote that renders the result of a JavaScript expression. */
const remote = (expression: string) => `
  const { createElement } = await load('react');
  const { useLocation } = await load('react-router-dom');
  const { useQuery } = await load('@tanstack/react-query');
  exports.default = function App({ host }) {
    const location = useLocation();
    const q = new URLSearchParams(location.search).get('q');
    const { data } = useQuery({
      queryKey: ['ads', q],
      enabled: q !== null,
      queryFn: () => fetch('/api/things?q=' + q).then((response) => response.json()),
    });
    return createElement('p', null, ${expression});
  };
`;

async function get(target: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await fetch(new URL(target, served.url), { headers: { accept: 'text/html', ...headers } });
  return response.text();
}

beforeAll(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'server-rendering-'));
  await deploy('mf-community', remote(`'community'`));
  await deploy('mf-listings', remote(`'first version'`));
  const reads = {
    ...NO_READS,
    readApiResponse: (url: string) =>
      Promise.resolve({ body: JSON.stringify({ success: true, data: [url], text: ANY_TEXT }), position: null }),
  };
  const log = { warn: (fields: object, text: string) => warnings.push(`${text} ${String(Object.values(fields)[0])}`) };
  served = await serveRoutes(
    '/',
    createShellServer({ mfDir: path.join(dir, 'mf'), distDir: DIST, siteUrl: null, reads, metrics: null, log }),
  );
});
afterAll(async () => {
  await served.stop();
  await rm(dir, { recursive: true, force: true });
});

it.each(['mf-listings', 'mf-community'])('the container of %s for the server is one file', (name) => {
  expect(readdirSync(path.resolve(import.meta.dirname, '../..', name, 'dist/server'))).toEqual(['server.cjs']);
});

it('the first page of a process is in the language of its URL, with the texts of its lazily loaded parts', async () => {
  const html = await get('/de/about');
  expect(html).toContain('Zum Inhalt');
  expect(html).toContain('Wir sind ein kleines Team in der Schweiz.');
  // The browser loads the texts together with the code of the part.
  expect(html).toMatch(/href="\/assets\/reading\.\w+\.js"/u);
  expect(html).toMatch(/href="\/assets\/reading-de\.\w+\.js"/u);
});

it('the HTML contains the page of the live deployment, and of a new one soon after it was deployed', async () => {
  expect(await get('/listings')).toContain('<p>first version</p>');
  await deploy('mf-listings', remote(`'second version'`));
  await eventually(async () => expect(await get('/listings')).toContain('<p>second version</p>'));
});

it('the HTML contains the data that the page requests, and the same data for the browser', async () => {
  await deploy('mf-listings', remote(`'found ' + (data ? data.data[0] : 'nothing')`));
  await eventually(async () => expect(await get('/listings?q=warm')).toContain('found /api/things?q=warm'));
  const html = await get('/listings?q=hello');
  expect(html).toContain('<p>found /api/things?q=hello</p>');
  expect(/"queries":\[.*?"data":\["\/api\/things\?q=hello"\]/u.exec(html)).not.toBeNull();
});

it('the HTML and the data of the page contain every character', async () => {
  await deploy('mf-listings', remote(`data ? data.text : 'nothing'`));
  const escaped = ANY_TEXT.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  await eventually(async () => expect(await get('/listings?q=any')).toContain(`<p>${escaped}</p>`));
  const json = new RegExp(`id="${EMBEDDED_RESPONSES_ID}">(.*?)</script>`, 'u').exec(await get('/listings?q=any'))?.[1];
  expect(JSON.parse(json ?? '{}')).toMatchObject({ queries: { queries: [{ state: { data: { text: ANY_TEXT } } }] } });
});

it('no request gets the data or the language of another one', async () => {
  await deploy('mf-listings', remote(`[host.locale, host.session.state, q, data ? data.data[0] : null].join(' ')`));
  await eventually(async () => expect(await get('/listings?q=warm')).toContain('anonymous warm /api/things?q=warm'));
  const texts = { en: 'Skip to content', de: 'Zum Inhalt', fr: 'Aller au contenu', it: 'Vai al contenuto' };
  await Promise.all(
    Array.from({ length: 200 }, async (_, number) => {
      const locale = LOCALES[number % LOCALES.length] ?? 'en';
      const html = await get(`/listings?q=visitor${number}`, { cookie: `locale=${locale}; session=${number}` });
      expect(html).toContain(`<p>${locale} anonymous visitor${number} /api/things?q=visitor${number}</p>`);
      expect(html).toContain(texts[locale]);
      expect([...new Set(html.match(/visitor\d+/gu))]).toEqual([`visitor${number}`]);
    }),
  );
});

it('a page is rendered once for visitors with different themes and encodings', async () => {
  await deploy('mf-listings', remote(`'random ' + Math.random()`));
  const pages = await Promise.all([
    get('/listings?page=shared', { 'accept-encoding': 'gzip', cookie: 'theme=dark' }),
    get('/listings?page=shared', { 'accept-encoding': 'br', cookie: 'theme=light' }),
    get('/listings?page=shared', { 'accept-encoding': 'identity' }),
  ]);
  const [first, ...others] = pages.map((html) => /<p>random [\d.]+/u.exec(html)?.[0]);
  expect(first).toBeDefined();
  expect(others).toEqual([first, first]);
  expect(new Set(pages).size, 'the pages have different themes').toBeGreaterThan(1);
});

it.each([
  ['throws', `exports.default = () => { throw new Error('broken page'); };`, 'broken page'],
  ['hangs', `exports.default = () => { for (;;); };`, 'No reply within 5000 ms'],
  ['hangs while it is loaded', `for (;;);`, 'No reply within 10000 ms'],
  ['needs many small pieces of memory', `const all = []; for (;;) all.push([]);`, 'ran out of memory'],
  ['needs large arrays', `const all = []; for (;;) all.push(new Array(3e7).fill(0));`, 'ran out of memory'],
  [
    'needs memory outside of the heap',
    `const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1));`,
    'ran out of memory',
  ],
  ['ends its process', `exports.default = () => process.exit(3);`, 'ended with code'],
  ['sends messages to the server', `exports.default = () => process.send(null);`, 'send is not a function'],
  ['has no component', `exports.default = 'text';`, 'has no App'],
])('if a remote %s, the browser renders its page, and other pages are not affected', async (_, code, warning) => {
  warnings.length = 0;
  await deploy('mf-listings', code);
  const [broken, other] = await Promise.all([get('/listings'), get(SAFE_PAGE)]);
  expect(broken).not.toContain('data-rendered-at=');
  expect(broken).toContain('class="first-screen"');
  // On a busy machine, the time limit may end the process before the memory limit. The page is then requested again.
  await eventually(async () => {
    await get('/listings');
    expect(warnings.join('\n')).toContain(warning);
  });
  expect(other).toContain('<p>community</p>');
  expect(await get(SAFE_PAGE)).toContain('<p>community</p>');
  expect(await get('/about')).toContain('data-rendered-at=');
});

it('a process that hangs ends after its server was killed', async () => {
  const code = containerOf(remote(`(() => { for (;;); })()`));
  const server = spawn(
    process.execPath,
    [
      '--eval',
      `const child = require('node:child_process').fork(process.argv[1], { serialization: 'advanced' });
      child.send({ name: 'mf-listings', hash: '0', container: 'mf_listings', routes: [], code: process.argv[2] });
      child.once('message', () => {
        const page = { id: 1, url: '/listings', locale: 'en', isDemo: true, at_ms: 0, responses: {} };
        child.send(page, () => console.log(child.pid));
      });`,
      path.join(DIST, 'server/server.cjs'),
      code,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [output] = (await once(server.stdout, 'data')) as [Buffer];
  const renderer_pid = Number(output.toString('utf8'));
  server.kill('SIGKILL');
  await once(server, 'exit');
  try {
    await eventually(() => expect(() => process.kill(renderer_pid, 0)).toThrow('ESRCH'));
  } catch (error) {
    process.kill(renderer_pid, 'SIGKILL');
    throw error;
  }
});

describe('with the restrictions of this system', () => {
  const program = path.join(DIST, 'server/server.cjs');
  let restricted: Awaited<ReturnType<typeof serveRoutes>>;
  let sandbox: Awaited<ReturnType<typeof findSandbox>>;
  beforeAll(async () => {
    sandbox = await findSandbox(program);
    const log = { warn: (fields: object, text: string) => warnings.push(`${text} ${JSON.stringify(fields)}`) };
    const options = { mfDir: path.join(dir, 'mf'), distDir: DIST, siteUrl: null, reads: NO_READS, metrics: null, log };
    restricted = await serveRoutes('/', createShellServer({ ...options, findSandbox: () => Promise.resolve(sandbox) }));
  });
  afterAll(() => restricted.stop());

  it('the code of a remote runs as another user and without network', async () => {
    await deploy(
      'mf-listings',
      remote(`[
        'user ' + process.getuid(),
        'networks ' + Object.keys(process.getBuiltinModule('node:os').networkInterfaces()).length,
        'secrets ' + Object.keys(process.env).filter((name) => name !== 'PWD').length,
      ].join(' ')`),
    );
    const hasNetwork = sandbox.missing.some((name) => name.includes('network'));
    const networks = hasNetwork ? Object.keys(os.networkInterfaces()).length : 0;
    const expected = `user ${sandbox.owner ?? process.getuid?.()} networks ${networks} secrets 0`;
    await eventually(async () => {
      const response = await fetch(new URL('/listings', restricted.url), { headers: { accept: 'text/html' } });
      expect(await response.text()).toContain(`<p>${expected}</p>`);
    });
  });

  it('a process that hangs ends after its server was killed', async () => {
    const name = `hanging-${randomUUID()}`;
    const server = spawn(
      process.execPath,
      [
        '--eval',
        `const [program, name, code, ...prefix] = process.argv.slice(1);
        const [command, ...args] = [...prefix, '/bin/sh', '-c', '"$@"; exit $?', 'sh', process.execPath, program];
        const stdio = ['pipe', 'ignore', 'inherit', 'ipc'];
        const options = { env: {}, serialization: 'advanced', stdio, detached: true };
        const child = require('node:child_process').spawn(command, [...args, '--watch-input', name], options);
        child.send({ name: 'mf-listings', hash: '0', container: 'mf_listings', routes: [], code });
        child.once('message', () => {
          const page = { id: 1, url: '/listings', locale: 'en', isDemo: true, at_ms: 0, responses: {} };
          child.send(page, () => console.log('sent'));
        });`,
        program,
        name,
        containerOf(remote(`(() => { for (;;); })()`)),
        ...sandbox.prefix,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [output] = (await once(server.stdout, 'data')) as [Buffer];
    expect(output.toString('utf8').trim()).toBe('sent');
    server.kill('SIGKILL');
    await once(server, 'exit');
    await eventually(() => expect(findProcesses(name)).toEqual([]));
  });
});

/** Returns the ids of the processes with this argument. The list is empty on systems without `/proc`. */
function findProcesses(argument: string): readonly string[] {
  if (!existsSync('/proc/self/cmdline')) return [];
  return readdirSync('/proc').filter((id) => {
    try {
      return /^\d+$/u.test(id) && readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(`\0${argument}\0`);
    } catch {
      return false;
    }
  });
}

it('a bundle that does not match the registry is not executed', async () => {
  await deploy('mf-listings', remote(`'changed by someone'`), ' with another digest');
  expect(await get('/listings')).not.toContain('changed by someone');
  await eventually(() => expect(warnings.join('\n')).toContain('does not match the registry'));
});

it('a preview is rendered for the browser that has opened its link, next to the live deployment', async () => {
  await deploy('mf-listings', remote(`'live version'`));
  const liveEntry = entries['mf-listings'];
  const hash = await deploy('mf-listings', remote(`'preview version'`));
  const preview = { ...entries['mf-listings'], stage: 'preview' };
  entries['mf-listings'] = liveEntry ?? {};
  const mfDir = path.join(dir, 'mf');
  await writeFile(path.join(mfDir, 'registry.json'), JSON.stringify({ remotes: entries }));
  await writeFile(path.join(mfDir, 'mf-listings/history.json'), JSON.stringify([liveEntry, preview]));
  const token = createPreviewToken({ name: 'mf-listings', hash }, localKeys(mfDir).privateKey);
  const cookie = `alpenglow_preview=${token}`;
  await eventually(async () => expect(await get('/listings', { cookie })).toContain('<p>preview version</p>'));
  await eventually(async () => expect(await get('/listings')).toContain('<p>live version</p>'));
  const both = await Promise.all([get('/listings?page=2', { cookie }), get('/listings?page=2')]);
  expect(both.map((html) => /<p>\w+ version<\/p>/u.exec(html)?.[0])).toEqual([
    '<p>preview version</p>',
    '<p>live version</p>',
  ]);
});

it('a build without a valid signature is not executed, although it matches the registry', async () => {
  await deploy('mf-listings', remote(`'signed by the deployer'`));
  await eventually(async () => expect(await get('/listings')).toContain('signed by the deployer'));
  await deploy('mf-listings', remote(`'signed by someone else'`));
  const file = path.join(dir, 'mf/registry.json');
  const registry = JSON.parse(await readFile(file, 'utf8')) as { remotes: Record<string, object> };
  const foreign = signBuild(registry.remotes['mf-listings'] ?? {}, 'ab'.repeat(32));
  await writeFile(file, JSON.stringify({ remotes: { ...registry.remotes, 'mf-listings': foreign } }));
  expect(await get('/listings')).toContain('signed by the deployer');
  expect(warnings.join('\n')).toContain('the deployment of a remote is invalid');
});

it('the code of a remote has no environment variables, no web storage and only the shared modules', async () => {
  await deploy('mf-listings', remote(`JSON.stringify(process.env) + typeof localStorage + typeof sessionStorage`));
  await eventually(async () => expect(await get('/listings')).toContain('<p>{}undefinedundefined</p>'));
  await deploy('mf-listings', `exports.default = require('node:fs').default;`);
  expect(await get('/listings')).not.toContain('data-rendered-at=');
  await eventually(() => expect(warnings.join('\n')).toContain('require is not defined'));
});
