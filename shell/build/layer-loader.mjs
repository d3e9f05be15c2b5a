// @ts-check
/**
 * Puts a CSS module into the cascade layer of its package, so that no remote overrides the styles of others.
 * @this {import('@rspack/core').LoaderContext<{ layer: string }>}
 * @param {string} source
 */
export default function layerLoader(source) {
  return `@layer ${this.getOptions().layer} {\n${source}\n}\n`;
}
