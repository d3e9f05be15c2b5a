/**
 * Records in `data-scripts` of the document whether its scripts run (F-45): `on`, or `old` if the browser is not
 * supported. Without scripts, the attribute is missing. The style sheets then show the page without scripts (F-42). It
 * is the only inline script that runs in every browser, so it uses only ES2015 syntax. It uses no variables
 * of this module, because pages contain only its source.
 *
 * Every supported browser has `findLast` and `CSSLayerBlockRule`. A browser that lacks one of them cannot show the
 * dialogs or the style sheets. There, the parts that need scripts are removed, because style sheets may not hide them.
 * @param deadParts a selector of the controls that need scripts, and of the text that the page is loading
 */
export function markScripts(deadParts: string): void {
  const isSupported = 'findLast' in Array.prototype && 'CSSLayerBlockRule' in window;
  document.documentElement.setAttribute('data-scripts', isSupported ? 'on' : 'old');
  if (isSupported) return;
  document.addEventListener('DOMContentLoaded', function removeDeadParts() {
    const parts = document.querySelectorAll(deadParts);
    for (let index = 0; index < parts.length; index += 1) (parts[index] as Element).remove();
  });
}
