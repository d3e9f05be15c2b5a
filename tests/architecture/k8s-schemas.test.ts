import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { manifests, read, readBase, root, yamlFiles, type Manifest } from './deploy-files.ts';

/** Checks each manifest against the types of Kubernetes, without a cluster (decision 0126). */

const FOLDER = import.meta.dirname;
/** A file that exists only for the compiler. */
const CHECKED = path.join(FOLDER, 'checked-manifests.ts');
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
};

const kindOf = ({ apiVersion, kind }: Manifest) => `${apiVersion} ${kind}`;
/** The kinds of resources whose types are known. */
const KINDS = [...read('tests/architecture/kubernetes-kinds.ts').matchAll(/^ {2}readonly '([^']+)':/gmu)].map(
  ([, kind = '']) => kind,
);

/** Returns the errors of manifests, one text each, with the name of the manifest in front. */
function findTypeErrors(all: readonly Manifest[]): readonly string[] {
  const lines = all.map(
    (manifest, index) =>
      `const manifest${index}: Kinds[${JSON.stringify(kindOf(manifest))}] = ${JSON.stringify(manifest)};`,
  );
  const text = `import type { Kinds } from './kubernetes-kinds.ts';\n${lines.join('\n')}\n`;
  const host = ts.createCompilerHost(OPTIONS);
  const program = ts.createProgram([CHECKED], OPTIONS, {
    ...host,
    fileExists: (file) => file === CHECKED || host.fileExists(file),
    readFile: (file) => (file === CHECKED ? text : host.readFile(file)),
    getSourceFile: (file, ...rest) =>
      file === CHECKED ? ts.createSourceFile(file, text, ts.ScriptTarget.ES2023) : host.getSourceFile(file, ...rest),
  });
  const source = program.getSourceFile(CHECKED);
  return program.getSemanticDiagnostics(source).map(({ start = 0, messageText }) => {
    const line = text.slice(0, start).split('\n').length - 2;
    const manifest = all[line];
    const message = ts.flattenDiagnosticMessageText(messageText, ' ');
    return `${manifest?.kind ?? ''} ${manifest?.metadata.name ?? ''}: ${message}`;
  });
}

/** Patches and lists of settings of kustomize are parts of manifests, and no manifests. */
const isManifest = (file: string) => !/every-deployment|kustomization|^components\/|secret-names/u.test(file);
const files = ['base', 'overlays', 'jobs', 'engines', 'backups', 'monitoring'].flatMap(yamlFiles).filter(isManifest);
const all = [
  ...files.filter((file) => !file.startsWith('base/')).flatMap(manifests),
  // The parts of base/every-deployment.yaml belong to each Deployment.
  ...readBase(),
];

describe('the manifests', () => {
  it('have kinds whose types are known', () => {
    expect(all.length).toBeGreaterThan(40);
    expect([...new Set(all.map(kindOf))].filter((kind) => !KINDS.includes(kind))).toEqual([]);
  });

  it('have the fields and types of Kubernetes 1.30', () => {
    expect(findTypeErrors(all)).toEqual([]);
  });

  const [deployment] = all.filter(({ kind }) => kind === 'Deployment');
  const changed = (change: (text: string) => string) => [JSON.parse(change(JSON.stringify(deployment))) as Manifest];

  it.each([
    ['a misspelled field', (text: string) => text.replace('"livenessProbe"', '"livenesProbe"'), 'livenesProbe'],
    [
      'a field in the wrong place',
      (text: string) => text.replace('"containers":', '"replicas":2,"containers":'),
      'replicas',
    ],
    [
      'a text instead of a number',
      (text: string) => text.replace('"failureThreshold":60', '"failureThreshold":"60"'),
      'number',
    ],
    ['a missing field', (text: string) => text.replace(/"selector":\{"matchLabels":\{[^}]*\}\},/u, ''), 'selector'],
  ])('are rejected with %s', (_, change, message) => {
    const broken = changed(change);
    expect(JSON.stringify(broken[0])).not.toBe(JSON.stringify(deployment));
    expect(findTypeErrors(broken).join()).toContain(message);
  });

  it('have valid names, labels, quantities, ports and schedules', () => {
    const texts: string[] = [];
    const visit = (value: unknown, keys: readonly string[]): void => {
      const name = keys.at(-1) ?? '';
      const where = keys.join('.');
      if (Array.isArray(value)) return value.forEach((member: unknown) => visit(member, keys));
      if (typeof value === 'object' && value !== null) {
        for (const [key, inner] of Object.entries(value)) visit(inner, [...keys, key]);
        return;
      }
      texts.push(where);
      const text = String(value);
      const parent = keys.at(-2) ?? '';
      if (parent === 'labels' || parent === 'matchLabels') expect(text, where).toMatch(/^[\w.-]{1,63}$/u);
      if (parent === 'metadata' && name === 'name')
        expect(text, where).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/u);
      if (parent === 'requests' || parent === 'limits' || name === 'sizeLimit')
        expect(text, where).toMatch(/^\d+(?:m|Mi|Gi)?$/u);
      if (['port', 'containerPort'].includes(name) && typeof value === 'number') {
        expect(value, where).toBeGreaterThan(0);
        expect(value, where).toBeLessThan(65_536);
      }
      if (name === 'schedule') expect(text, where).toMatch(/^(?:[\d*/,-]+ ){4}[\d*/,-]+$/u);
    };
    for (const manifest of all) visit(manifest, [manifest.metadata.name ?? manifest.kind]);
    expect(texts.length).toBeGreaterThan(500);
  });
});

/** kubectl can render manifests without a cluster, so these tests require only an installed kubectl. */
const hasKubectl = spawnSync('kubectl', ['kustomize', '--help'], { stdio: 'ignore' }).status === 0;
const render = (folder: string): readonly Manifest[] => {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
};

if (hasKubectl) {
  describe('the rendered overlays', () => {
    /** A copy of the manifests in which the example uses everything that its comments offer. */
    let complete: string;
    beforeAll(async () => {
      complete = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-k8s-'));
      cpSync(path.join(root, 'infra/deploy/k8s'), complete, { recursive: true });
      const file = path.join(complete, 'overlays/example/kustomization.yaml');
      const text = readFileSync(file, 'utf8');
      const enabled = text
        .replace('# - ../../monitoring', '- ../../monitoring')
        .replace('# components:', 'components:');
      expect(enabled.split('\n').filter((line, index) => line !== text.split('\n')[index])).toHaveLength(2);
      writeFileSync(file, enabled);
    });
    afterAll(() => rmSync(complete, { recursive: true, force: true }));

    it.each(['overlays/example', 'overlays/demo', 'overlays/restore'])(
      '%s have the fields and types of Kubernetes 1.30, and a component',
      (overlay) => {
        const rendered = render(path.join(complete, overlay));
        expect([...new Set(rendered.map(kindOf))].filter((kind) => !KINDS.includes(kind))).toEqual([]);
        expect(findTypeErrors(rendered)).toEqual([]);
        for (const { kind, metadata } of rendered)
          expect(metadata.labels?.['app.kubernetes.io/component'], `${kind} ${metadata.name ?? ''}`).toMatch(
            /^[a-z-]+$/u,
          );
      },
    );

    it('are applied completely and in order by the commands of the README', () => {
      const readme = read('infra/deploy/k8s/README.md');
      const steps = [...readme.matchAll(/^ *apply '([^']+)'$/gmu)].map(([, names = '']) => names.split(', '));
      const components = new Set(
        render(path.join(complete, 'overlays/example')).map(
          ({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] ?? '',
        ),
      );
      expect(steps.flat().sort()).toEqual([...components].sort());
      const stepOf = (name: string) => steps.findIndex((names) => names.includes(name));
      for (const reader of ['projectors', 'workers', 'query-api']) {
        expect(stepOf('settings')).toBeLessThan(stepOf(reader));
        expect(stepOf(reader)).toBeLessThan(stepOf('command-api'));
      }
      for (const last of ['shell', 'gateway']) expect(stepOf('command-api')).toBeLessThan(stepOf(last));
    });

    it('mount the certificates of a private authority into everything that uses TLS, and into nothing else', () => {
      const rendered = render(path.join(complete, 'overlays/example'));
      const withCertificates = rendered.filter((manifest) => JSON.stringify(manifest).includes('NODE_EXTRA_CA_CERTS'));
      expect(withCertificates.map(({ kind, metadata }) => `${kind} ${metadata.name ?? ''}`).sort()).toEqual([
        ...['CronJob backup', 'CronJob restore-practice'],
        ...['command-api', 'projectors', 'query-api', 'workers'].map((name) => `Deployment ${name}`),
      ]);
      for (const manifest of withCertificates) {
        const text = JSON.stringify(manifest);
        expect(text).toContain('{"mountPath":"/ca","name":"ca","readOnly":true}');
        expect(text).toContain('{"configMap":{"name":"alpenglow-ca"},"name":"ca"}');
      }
    });

    it('read the metrics with the Secret of the installation, and only those of services', () => {
      const rendered = render(path.join(complete, 'overlays/example'));
      const monitor = rendered.find(({ kind }) => kind === 'PodMonitor') as unknown as {
        readonly spec: {
          readonly podMetricsEndpoints: readonly { readonly authorization: { credentials: { name: string } } }[];
        };
      };
      const [endpoint] = monitor.spec.podMetricsEndpoints;
      const secrets = rendered.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => metadata.name);
      expect(endpoint?.authorization.credentials.name).toMatch(/^alpenglow-metrics-\w{10}$/u);
      expect(secrets).toContain(endpoint?.authorization.credentials.name);
    });

    it('suspend the CronJobs during a restore', () => {
      const suspended = render(path.join(complete, 'overlays/restore')).filter(({ kind }) => kind === 'CronJob');
      expect(suspended.map(({ spec }) => spec['suspend'])).toEqual([true, true]);
    });
  });
} else {
  test.skip('kubectl kustomize renders the manifests (skipped: kubectl is not installed)');
}
