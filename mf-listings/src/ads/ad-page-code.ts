import type { moveToPage } from './move-to-page.ts';

/** The part of the ad page that a list uses. */
interface Code {
  readonly moveToPage: typeof moveToPage;
}

/** Loads the code of the ad page. `App` provides it, because the ad page itself contains lists of ads. */
let load: (() => Promise<Code>) | null = null;
let code: Code | null = null;

/** Sets the function that loads the code of the ad page. */
export function provideAdPageCode(loadPage: () => Promise<Code>): void {
  load = loadPage;
}

/** Loads the code of the ad page early. A failure is repeated and reported when the page opens. */
export function loadAdPageCode(): void {
  load?.().then(
    (loaded) => {
      code = loaded;
    },
    () => undefined,
  );
}

/** Returns the code of the ad page, or null if it is not loaded yet. */
export const getAdPageCode = (): Code | null => code;
