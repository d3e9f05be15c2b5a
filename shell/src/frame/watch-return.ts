/** The age from which a tab may have been opened before an update of the site. */
const OLD_ms = 30 * 60_000;

/**
 * Checks for an update of the site when the visitor returns to an old tab. The code for it is loaded only then,
 * together with the pages of the shell.
 */
export function watchReturn(): void {
  document.addEventListener('visibilitychange', () => {
    if (Date.now() - performance.timeOrigin > OLD_ms)
      import(/* webpackChunkName: "reading" */ './new-version.ts').then(
        ({ offerReload }) => offerReload(),
        () => undefined,
      );
  });
}
