import { createQueryClient } from '@alpenglow/ui';

/** The one query client of the page; remotes share it through React's context. */
export const queryClient = createQueryClient();
