// @ts-check
/**
 * `npm start`: installs and builds what is missing or stale, then runs the whole product in this process.
 * Written without dependencies, and up to the version check without anything that an old Node does not know.
 */
const OLDEST_NODE = [20, 19];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
  process.stderr.write(`Alpenglow needs Node ${OLDEST_NODE.join('.')} or later; this is ${process.versions.node}.\n`);
  process.exit(1);
}
await import('./launcher/launch.mjs');

export {};
