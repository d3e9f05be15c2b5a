// @ts-check
import { compileMessage } from '@lingui/message-utils/compileMessage';

/**
 * Compiles a catalog of texts (`locales/<language>.json`) at build time. Browsers therefore do not need to download a
 * parser for ICU MessageFormat.
 * @param {string} source
 */
export default function catalogLoader(source) {
  /** @type {Record<string, string>} */
  const texts = JSON.parse(source);
  return JSON.stringify(Object.fromEntries(Object.entries(texts).map(([id, text]) => [id, compileMessage(text)])));
}
