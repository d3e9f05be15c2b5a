/**
 * Keeps a CSS module in the cascade layer of its package, so that no remote can outrank the shell or another remote:
 * a file that does not open its layer itself is put into it.
 * @this {import('@rspack/core').LoaderContext<{ layer: string }>}
 * @param {string} source
 */
export default function layerLoader(source) {
  const { layer } = this.getOptions();
  const isLayered = new RegExp(`^(?:\\s|/\\*.*?\\*/)*@layer ${layer.replaceAll('.', '\\.')}\\s*\\{`, 'su').test(source);
  return isLayered ? source : `@layer ${layer} {\n${source}\n}\n`;
}
