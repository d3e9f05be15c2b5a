// @ts-check
/**
 * `npm start`: installs and builds what is missing or stale, then runs the whole product in this process.
 * Written without dependencies, and up to the version check without anything that an old Node does not know.
 */
const OLDEST_NODE = { major: 20, minor: 19 };
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST_NODE.major || (major === OLDEST_NODE.major && minor < OLDEST_NODE.minor)) {
  process.stderr.write(
    `Alpenglow needs Node ${OLDEST_NODE.major}.${OLDEST_NODE.minor} or later; this is ${process.versions.node}.\n`,
  );
  process.exit(1);
}
await import('./launcher/launch.mjs');

export {};
