// @ts-check
/**
 * `npm start`: installs and builds everything that is missing or out of date, then runs the whole product in this
 * process. This file has no dependencies and uses old syntax, so that old versions of Node can run the version check.
 */
import { readFileSync } from 'fs';

/** The supported versions, for example `^20.19.0 || >=24.0.0`. @type {string} */
const supported = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).engines.node;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isSupported = supported.split(' || ').some((range) => {
  const [minMajor = 0, minMinor = 0] = range
    .replace(/^(\^|>=)/, '')
    .split('.')
    .map(Number);
  return (major > minMajor && range.startsWith('>=')) || (major === minMajor && minor >= minMinor);
});
if (!isSupported) {
  process.stderr.write(`Alpenglow needs Node ${supported}; this is ${process.versions.node}.\n`);
  process.exit(1);
}
await import('../start/launch.mjs');
