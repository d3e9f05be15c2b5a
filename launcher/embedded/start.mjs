// @ts-check
/**
 * `npm start`: installs and builds everything that is missing or out of date, then runs the whole product in this
 * process. This file has no dependencies and uses old syntax, so that old versions of Node can run the version check.
 */
const MIN_NODE = { major: 20, minor: 19 };
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < MIN_NODE.major || (major === MIN_NODE.major && minor < MIN_NODE.minor)) {
  process.stderr.write(
    `Alpenglow needs Node ${MIN_NODE.major}.${MIN_NODE.minor} or later; this is ${process.versions.node}.\n`,
  );
  process.exit(1);
}
await import('../start/launch.mjs');

export {};
