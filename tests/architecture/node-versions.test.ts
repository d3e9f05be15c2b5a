/** The supported versions of Node are named in several files. These files must agree with `engines` in package.json. */
import { expect, test } from 'vitest';
import { NODE_VERSIONS } from '../support/node-versions.ts';
import { read } from './deploy-files.ts';

const manifest = JSON.parse(read('package.json')) as {
  readonly engines: { readonly node: string };
  readonly devDependencies: Readonly<Record<string, string>>;
};
const ranges = manifest.engines.node.split(' || ');
const [oldest, ...forProduction] = NODE_VERSIONS;
const [major = '', minor = ''] = oldest.split('.');

test('the smoke test runs the oldest supported version', () => {
  expect(ranges[0]).toBe(`^${oldest}`);
  // `npm start` can read only these forms (launcher/embedded/start.mjs).
  for (const range of ranges) expect(range).toMatch(/^(?:\^|>=)\d+\.\d+\.0$/u);
});

test('the README names the supported versions', () => {
  const names = ranges.map((range) => `${range.replace(/^(?:\^|>=)/u, '').replace(/(?:\.0)+$/u, '')}+`);
  expect(read('README.md')).toContain(`You need Node ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);
});

test('the documents about production name the versions with long-term support that the smoke test runs', () => {
  const names = forProduction.map((version) => version.split('.')[0]).join(' or ');
  expect(read('docs/production.md')).toContain(`You need Node ${names} (`);
  expect(read('docs/operations.md')).toContain(`In production, use the newest ${names}.`);
});

test('bundles and types are those of the oldest supported version', () => {
  for (const file of ['launcher/build/build-servers.mjs', 'launcher/engines/bundle.mjs', 'shell/build/preset.mjs'])
    expect([...read(file).matchAll(/target: .*?'node([\d.]+)'/gu)].map(([, target]) => target)).toEqual([major]);
  expect(manifest.devDependencies['@types/node']).toMatch(new RegExp(`^${major}\\.${minor}\\.`, 'u'));
});
