/** Presses before the shell's script runs. The server imports this module too. */

declare global {
  /**
   * The elements that the visitor pressed, and the forms that the visitor sent, before the shell's script ran. An
   * inline script of the page records them while the list exists (shell/server/inline/early-presses.ts).
   */
  var alpenglowPresses: Element[] | undefined;
}

/** Selects forms that do not work without scripts. */
export const SCRIPTED_FORM = 'form[data-needs-scripts]';
