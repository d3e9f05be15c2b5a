// @ts-check

const elapsed = (/** @type {number} */ since_ms) => `${((Date.now() - since_ms) / 1000).toFixed(1)} s`;
const withoutCount = (/** @type {string} */ name) => name.replace(/ \d+\/\d+$/, '');

/**
 * Shows the steps of a start on standard error, because standard output is reserved for the message that the product is
 * ready. On a terminal, each step has one line with its elapsed time. Without a terminal, one line is printed at the
 * start of a step and another line at its end.
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
    /**
     * Ends the current step and begins the next one. If only the count in the name differs, such as `3/70`, the current
     * step continues.
     * @param {string} name
     */
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
