import { compileMessage } from '@lingui/message-utils/compileMessage';

/**
 * Compiles a catalog (`locales/<language>.json`, id → ICU MessageFormat) at build time, so that no browser carries a parser of messages.
 * @param {string} source
 */
export default function catalogLoader(source) {
  /** @type {Record<string, string>} */
  const texts = JSON.parse(source);
  return JSON.stringify(Object.fromEntries(Object.entries(texts).map(([id, text]) => [id, compileMessage(text)])));
}
