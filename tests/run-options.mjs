// @ts-check

const FLAGS = /** @type {const} */ (['all', 'nightly', 'audit', 'changed']);

/**
 * Reads the arguments of `npm test`. All options that are not its own belong to Vitest, such as `-t <name>`. Everything
 * after the first of them belongs to Vitest too, because an option may have a value.
 * @param {readonly string[]} args
 * @returns {Record<typeof FLAGS[number], boolean> & { parts: readonly string[], ofVitest: readonly string[] }} `parts`
 * are the arguments that are no options
 */
export function readOptions(args) {
  const has = (/** @type {typeof FLAGS[number]} */ name) => args.includes(`--${name}`);
  const others = args.filter((arg) => !FLAGS.some((name) => arg === `--${name}`));
  const first = others.findIndex((arg) => arg.startsWith('-'));
  const end = first === -1 ? others.length : first;
  return {
    all: has('all'),
    nightly: has('nightly'),
    audit: has('audit'),
    changed: has('changed'),
    parts: others.slice(0, end),
    ofVitest: others.slice(end),
  };
}
