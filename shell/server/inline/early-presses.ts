/**
 * Records what the visitor presses and sends before the shell's script runs (shell/src/hydration/early-input.ts). Only
 * a server-rendered page shows anything before that. It is a function of an inline script, so it uses only its
 * parameters (inline-scripts.ts).
 * @param scriptedForm a selector of the forms that do not work without scripts
 * @param rendered a selector of an element that only server-rendered pages contain
 */
export function recordEarlyPresses(scriptedForm: string, rendered: string): void {
  if (document.documentElement.dataset['scripts'] !== 'on' || !document.querySelector(rendered)) return;
  globalThis.alpenglowPresses = [];
  addEventListener('click', ({ target }) => {
    if (target instanceof Element) globalThis.alpenglowPresses?.push(target);
  });
  addEventListener('submit', (event) => {
    const { target } = event;
    if (!globalThis.alpenglowPresses || !(target instanceof HTMLFormElement) || !target.matches(scriptedForm)) return;
    event.preventDefault();
    globalThis.alpenglowPresses.push(target);
  });
}
