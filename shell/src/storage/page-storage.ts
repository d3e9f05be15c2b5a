/** What the shell keeps in this browser, wherever it can be kept. */
import { browserStorage, remembering } from '@alpenglow/ui';

export const pageStorage = remembering(browserStorage());
