// @ts-check

const elapsed = (/** @type {number} */ since_ms) => `${((Date.now() - since_ms) / 1000).toFixed(1)} s`;
const withoutCount = (/** @type {string} */ name) => name.replace(/ \d+\/\d+$/, '');

/**
 * Shows the steps of a start on standard error: standard output carries the ready line alone. On a terminal each step has
 * one line, which counts its seconds while it runs; elsewhere a line says that it began, and one that it ended.
 * @param {NodeJS.WriteStream} [stream]
 */
export function createProgress(stream = process.stderr) {
  /** @type {{ name: string, since_ms: number } | null} */
  let current = null;
  /** @type {NodeJS.Timeout | undefined} */
  let ticker;
  const clear = () => stream.isTTY && stream.write('\r\u001b[2K');

  function finish(mark = '✓') {
    clearInterval(ticker);
    if (current === null) return;
    clear();
    stream.write(`  ${mark} ${current.name} (${elapsed(current.since_ms)})\n`);
    current = null;
  }

  return {
    /** Ends the running step and begins the next; a name that differs in its count alone (`3/70`) goes on with the step. @param {string} name */
    step(name) {
      if (current !== null && withoutCount(current.name) === withoutCount(name)) {
        current.name = name;
        return;
      }
      finish();
      current = { name, since_ms: Date.now() };
      if (!stream.isTTY) {
        stream.write(`  … ${withoutCount(name)}\n`);
        return;
      }
      const draw = () =>
        current !== null && stream.write(`\r\u001b[2K  … ${current.name} ${elapsed(current.since_ms)}`);
      draw();
      ticker = setInterval(draw, 200).unref();
    },
    done: () => finish('✓'),
    failed: () => finish('✗'),
  };
}
